#!/usr/bin/env bash
# A CoreNLP server for asof's options that ask one (docs/CORENLP.md), on 127.0.0.1 alone.
#
#   server.sh fetch            the program and its models (0.5 GB), through Maven, once
#   server.sh start [PORT]     fetches if need be, starts, waits until it is ready and has answered a first
#                              request; prints its address. PORT is 9000 unless given; 0 takes a free one.
#   server.sh stop             ends it; ends it hard after 30 s
#   server.sh status           prints its address, or that there is none (exit 1)
#
# All it makes lies in $ASOF_CORENLP (default: asof/corenlp in the user's cache). It needs Java 17 or later with
# its compiler, and mvn for fetch; where one is missing, the download fails (ASOF_CORENLP_FETCH seconds, 900)
# or the server is not ready in four minutes, it says so and exits 3.
# ASOF_CORENLP_MEMORY is Java's heap (3g): the process takes up to 3.4 GB.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=$(sed -n 's|.*<corenlp.version>\(.*\)</corenlp.version>.*|\1|p' "$here/pom.xml")
home=${ASOF_CORENLP:-${XDG_CACHE_HOME:-$HOME/.cache}/asof/corenlp}
release=$home/$version
run=$home/run
main=edu.stanford.nlp.pipeline.StanfordCoreNLPServer

say() { printf 'corenlp: %s\n' "$*" >&2; }
cannot() { say "$*"; exit 3; }

# pid prints the process of the server that start left, if it lives and is that server.
pid() {
	local p
	p=$(cat "$run/pid" 2>/dev/null) || return 1
	[ -n "$p" ] && tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null | grep -qF "$main" && echo "$p"
}

address() { echo "http://127.0.0.1:$(cat "$run/port")"; }

# http METHOD PATH [FILE]: one request, by bash alone; prints the status.
http() {
	local method=$1 path=$2 body=${3:-/dev/null} status=000
	exec 3<>"/dev/tcp/127.0.0.1/$(cat "$run/port")" || { echo 000; return; }
	{
		printf '%s %s HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n' \
			"$method" "$path" "$(wc -c <"$body")"
		cat "$body"
	} >&3
	read -r -t "${patience:-10}" _ status _ <&3 || true
	cat <&3 >/dev/null &
	wait $! || true
	exec 3<&- 3>&-
	echo "${status:-000}"
}

fetch() {
	[ "$(cat "$release/stamp" 2>/dev/null)" != "$version" ] || return 0
	command -v mvn >/dev/null || cannot "mvn is not here; it fetches the server (Debian and Ubuntu: apt-get install maven)"
	mkdir -p "$release"
	say "fetching CoreNLP $version and its models (0.5 GB) into $release"
	rm -rf "$release/lib"
	timeout "${ASOF_CORENLP_FETCH:-900}" mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies \
		-DoutputDirectory="$release/lib" >"$release/fetch.log" 2>&1 ||
		cannot "the download failed or took too long: $(tr -d '\033' <"$release/fetch.log" | grep ERROR | head -n 3 | head -c 500)"
	[ -s "$release/lib/stanford-corenlp-$version-models.jar" ] || cannot "the download brought no models; see $release/fetch.log"
	echo "$version" >"$release/stamp"
}

# loopback compiles what binds the server to 127.0.0.1 alone.
loopback() {
	local export=jdk.httpserver/sun.net.httpserver=ALL-UNNAMED
	[ "$release/classes/Loopback.class" -nt "$here/Loopback.java" ] && return
	command -v javac >/dev/null || cannot "javac is not here (Debian and Ubuntu: apt-get install openjdk-17-jdk-headless)"
	javac --add-exports $export -d "$release/classes" "$here/Loopback.java" 2>"$release/javac.log" ||
		cannot "Loopback.java does not compile: $(head -c 500 "$release/javac.log")"
}

start() {
	local port=${1:-9000} p began status properties
	if p=$(pid); then
		say "it runs already, as process $p"
		address
		return
	fi
	command -v java >/dev/null || cannot "java is not here (Debian and Ubuntu: apt-get install openjdk-17-jdk-headless)"
	fetch
	loopback
	(umask 077; mkdir -p "$run/tmp") # its temporary files hold the key that ends it
	rm -f "$run/port" "$run/pid"
	java -Xmx"${ASOF_CORENLP_MEMORY:-3g}" -Djava.io.tmpdir="$run/tmp" \
		--add-exports jdk.httpserver/sun.net.httpserver=ALL-UNNAMED \
		-Dcom.sun.net.httpserver.HttpServerProvider=Loopback \
		-Dasof.corenlp.version="$version" -Dasof.corenlp.port="$run/port" \
		-cp "$release/classes:$release/lib/*" $main -port "$port" -quiet true -timeout 60000 -maxCharLength 100000 \
		-preload tokenize,ssplit,pos,lemma,ner,depparse,coref </dev/null >"$run/log" 2>&1 &
	echo $! >"$run/pid"
	p=$!
	began=$SECONDS
	say "starting as process $p; its log is $run/log"
	until [ -s "$run/port" ] && [ "$(http GET /ready 2>/dev/null)" = 200 ]; do
		kill -0 "$p" 2>/dev/null || { say "it ended: $(tail -n 3 "$run/log" | head -c 500)"; exit 1; }
		[ $((SECONDS - began)) -lt 240 ] || { stop; cannot "it is not ready after 240 s"; }
		sleep 1
	done
	# The first request of each depth, with the properties of internal/corenlp: the later ones are then fast.
	patience=180
	while read -r properties; do
		status=$(http POST "/?properties=$properties" "$here/warmup.txt")
		[ "$status" = 200 ] || { say "a first request gives status $status: $(tail -n 3 "$run/log" | head -c 500)"; stop; exit 1; }
	done <"$here/warmup.properties"
	say "ready after $((SECONDS - began)) s"
	address
}

stop() {
	local p i
	p=$(pid) || { say "none runs"; rm -f "$run/pid" "$run/port"; return; }
	kill "$p" 2>/dev/null || true
	for i in $(seq 60); do
		kill -0 "$p" 2>/dev/null || break
		[ "$i" -lt 60 ] || kill -9 "$p" 2>/dev/null || true
		sleep 0.5
	done
	rm -f "$run/pid" "$run/port"
	say "process $p has ended"
}

case ${1:-} in
fetch) fetch ;;
start) start "${2:-}" ;;
stop) stop ;;
status) pid >/dev/null && address || { say "none runs"; exit 1; } ;;
*) sed -n '2,/^set/p' "$0" | sed -n 's/^# \{0,1\}//p' >&2; exit 2 ;;
esac
