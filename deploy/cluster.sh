#!/bin/sh
# Three nats-server processes on this machine that hold asof's log together, to try things out and for the
# test that kills one of them. They listen on the loopback alone.
#
#   deploy/cluster.sh start            builds nats-server (of the module that asof embeds) and starts all three
#   deploy/cluster.sh status           one line a node: its process and its health
#   deploy/cluster.sh kill N           SIGKILL to node N (1, 2 or 3)
#   deploy/cluster.sh stop [N]         SIGTERM to node N, or to all, and waits for their end
#   deploy/cluster.sh start N          starts node N again, with the files that it left
#   deploy/cluster.sh url              what to write as ledger.url, with ledger.replicas: 3
#   deploy/cluster.sh clean            stops all and removes their files
#
# ASOF_CLUSTER_DIR is where files, logs and process ids lie (default build/cluster), ASOF_CLUSTER_PORT the
# first of six ports (default 14222): three for clients, three between the servers.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
dir=${ASOF_CLUSTER_DIR:-$root/build/cluster}
port=${ASOF_CLUSTER_PORT:-14222}
conf=$root/deploy/nats/node.conf
server=$dir/nats-server

say() { echo "cluster: $*" >&2; }
client() { echo "127.0.0.1:$((port + $1 - 1))"; }
inner() { echo "127.0.0.1:$((port + 2 + $1))"; }
pid() { cat "$dir/$1.pid" 2>/dev/null || true; }
alive() { p=$(pid "$1") && [ -n "$p" ] && kill -0 "$p" 2>/dev/null; }

# node N: whether it is one.
node() {
	case ${1:-} in 1 | 2 | 3) ;; *)
		say "'${1:-}' is no node; they are 1, 2 and 3"
		exit 2
		;;
	esac
}

build() {
	mkdir -p "$dir"
	[ -x "$server" ] || (cd "$root" && go build -o "$server" github.com/nats-io/nats-server/v2)
}

start() {
	if alive "$1"; then
		say "node $1 runs already, as process $(pid "$1")"
		return
	fi
	routes=
	for other in 1 2 3; do
		[ "$other" = "$1" ] || routes="$routes${routes:+, }\"nats://$(inner "$other")\""
	done
	ASOF_NODE="node-$1" ASOF_LISTEN=$(client "$1") ASOF_CLUSTER=$(inner "$1") ASOF_ROUTES="[$routes]" ASOF_STORE=$dir/$1 \
		"$server" -c "$conf" >"$dir/$1.log" 2>&1 &
	echo $! >"$dir/$1.pid"
}

# ready N: waits, half a minute at most, until the node has found the leader of the cluster.
ready() {
	tries=0
	while ! grep -q 'JetStream cluster new metadata leader\|Self is new JetStream cluster metadata leader\|JetStream cluster recovered' "$dir/$1.log"; do
		alive "$1" || {
			say "node $1 has ended; $dir/$1.log says why:"
			tail -n 5 "$dir/$1.log" >&2
			exit 1
		}
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || {
			say "node $1 has found no leader in 30 s; see $dir/$1.log"
			exit 1
		}
		sleep 0.1
	done
}

# halt N SIGNAL: sends the signal and waits for the end.
halt() {
	alive "$1" || return 0
	p=$(pid "$1")
	kill "-$2" "$p"
	tries=0
	while kill -0 "$p" 2>/dev/null && [ "$tries" -lt 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	! kill -0 "$p" 2>/dev/null || {
		say "node $1, process $p, does not end"
		exit 1
	}
	rm -f "$dir/$1.pid"
}

case ${1:-} in
start)
	build
	if [ $# -gt 1 ]; then
		node "$2"
		start "$2"
	else
		for n in 1 2 3; do start "$n"; done
		for n in 1 2 3; do ready "$n"; done
	fi
	;;
status)
	for n in 1 2 3; do
		if alive "$n"; then echo "node $n: process $(pid "$n"), $(client "$n")"; else echo "node $n: not running"; fi
	done
	;;
kill)
	node "${2:-}"
	halt "$2" KILL
	;;
stop)
	if [ $# -gt 1 ]; then
		node "$2"
		halt "$2" TERM
	else
		for n in 1 2 3; do halt "$n" TERM; done
	fi
	;;
url)
	echo "nats://$(client 1),nats://$(client 2),nats://$(client 3)"
	;;
clean)
	for n in 1 2 3; do halt "$n" TERM; done
	rm -rf "$dir"
	;;
*)
	say "start [N] | status | kill N | stop [N] | url | clean; the top of $0 says what each does"
	exit 2
	;;
esac
