#!/usr/bin/env bash
# A Neo4j Community server on this machine, for tests and for a look at the graph: fetched once by
# Maven, run as a process of its own on 127.0.0.1. Java 17 and mvn have to be there.
#
#   deploy/neo4j/server.sh fetch          the server's files, into the cache
#   deploy/neo4j/server.sh start [HOME]   fetches if need be, starts, waits until it answers; prints the URI
#   deploy/neo4j/server.sh stop [HOME]    ends it, and waits
#   deploy/neo4j/server.sh kill [HOME]    ends it as a crash would
#
# HOME holds its data, configuration and logs (default ~/.cache/asof/neo4j/home). Settings:
#   ASOF_NEO4J_CACHE     where the files lie (default ~/.cache/asof/neo4j)
#   ASOF_NEO4J_PORT      the Bolt port (default 7687)
#   ASOF_NEO4J_PASSWORD  with it the server asks for a password: this one, of user neo4j, where HOME is new
#   ASOF_NEO4J_JAVA      flags of the virtual machine (default: a small heap, quick to start)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's:.*<version>\([0-9.]*\.[0-9.]*\)</version>.*:\1:p' "$here/pom.xml" | tail -n 1)
cache=${ASOF_NEO4J_CACHE:-$HOME/.cache/asof/neo4j}
port=${ASOF_NEO4J_PORT:-7687}
home=${2:-$cache/home}
flags=${ASOF_NEO4J_JAVA:--Xms128m -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1}
pidfile=$home/server.pid

fail() { echo "neo4j: $*" >&2; exit 1; }

# running: the server of this home lives. Its pid alone is not enough: another process may have it.
running() {
	[ -s "$pidfile" ] || return 1
	local pid
	pid=$(cat "$pidfile")
	kill -0 "$pid" 2>/dev/null && grep -qaz -- "--home-dir=$home" "/proc/$pid/cmdline" 2>/dev/null
}

fetch() {
	[ "$(cat "$cache/lib/STAMP" 2>/dev/null)" = "$version" ] && return
	command -v mvn >/dev/null || fail "mvn is not here; install Maven"
	echo "neo4j: fetching version $version into $cache/lib (116 MB)" >&2
	rm -rf "$cache/lib" && mkdir -p "$cache/lib"
	timeout 900 mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$cache/lib" >&2
	[ -s "$cache/lib/neo4j-$version.jar" ] || fail "Maven fetched no neo4j-$version.jar"
	echo "$version" >"$cache/lib/STAMP"
}

configure() {
	mkdir -p "$home/conf"
	cat >"$home/conf/neo4j.conf" <<-CONF
		server.default_listen_address=127.0.0.1
		server.bolt.listen_address=127.0.0.1:$port
		server.http.enabled=false
		server.https.enabled=false
		dbms.security.auth_enabled=$([ -n "${ASOF_NEO4J_PASSWORD:-}" ] && echo true || echo false)
		dbms.usage_report.enabled=false
		server.memory.pagecache.size=128m
		db.tx_log.preallocate=false
		db.tx_log.rotation.size=8m
		db.tx_log.rotation.retention_policy=keep_none
	CONF
}

# answers: the server has answered a client. The port opens some seconds before it can, so this asks
# the server's log, which says so.
answers() { tail -c +"$1" "$home/logs/neo4j.log" 2>/dev/null | grep -q 'INFO  Started\.'; }

start() {
	command -v java >/dev/null || fail "java is not here; install Java 17"
	if running; then
		echo "bolt://127.0.0.1:$port"
		return
	fi
	fetch
	configure
	mkdir -p "$home/logs"
	if [ -n "${ASOF_NEO4J_PASSWORD:-}" ] && [ ! -e "$home/data" ]; then
		NEO4J_HOME=$home NEO4J_CONF=$home/conf java -Xmx256m -XX:TieredStopAtLevel=1 -cp "$cache/lib/*" \
			org.neo4j.cli.AdminTool dbms set-initial-password "$ASOF_NEO4J_PASSWORD" >/dev/null || fail "the first password could not be set"
	fi
	local from
	from=$(($(stat -c %s "$home/logs/neo4j.log" 2>/dev/null || echo 0) + 1))
	# A kill leaves the lock of the store behind; the operating system has let go of it.
	# shellcheck disable=SC2086
	setsid java $flags -cp "$cache/lib/*" org.neo4j.server.CommunityEntryPoint \
		--home-dir="$home" --config-dir="$home/conf" >"$home/logs/console.log" 2>&1 </dev/null &
	echo $! >"$pidfile"
	for _ in $(seq 240); do
		running || fail "the server ended: $(tail -n 5 "$home/logs/console.log" "$home/logs/neo4j.log" 2>/dev/null)"
		if answers "$from"; then
			echo "bolt://127.0.0.1:$port"
			return
		fi
		sleep 0.5
	done
	stop
	fail "the server did not answer within 120 s: $(tail -n 5 "$home/logs/neo4j.log")"
}

stop() {
	running || { rm -f "$pidfile"; return 0; }
	local pid
	pid=$(cat "$pidfile")
	kill "$pid"
	for _ in $(seq 60); do
		running || { rm -f "$pidfile"; return 0; }
		sleep 0.5
	done
	kill -9 "$pid"
	rm -f "$pidfile"
}

crash() {
	running || fail "no server runs in $home"
	local pid
	pid=$(cat "$pidfile")
	kill -9 "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	rm -f "$pidfile"
}

case ${1:-} in
fetch) fetch ;;
start) start ;;
stop) stop ;;
kill) crash ;;
*) sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p'; exit 2 ;;
esac
