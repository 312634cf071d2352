#!/bin/sh
# Checks on an emulated arm64 processor that scores have the bits they have
# here: builds the tests of the packages named (by default those with golden
# vectors) for arm64 and runs their golden and conformance tests.
#
#   internal/num/qemu.sh [package-folder ...]
#
# Exits 0 when all agree, 1 when one differs, and 0 after a line that says SKIP
# and why when no emulator is here. ASOF_QEMU_REQUIRED=1 makes that a failure.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! command -v qemu-aarch64 >/dev/null 2>&1; then
	echo "SKIP arm64 conformance: no qemu-aarch64 here (Debian and Ubuntu: apt-get install qemu-user)"
	[ "${ASOF_QEMU_REQUIRED:-0}" = 1 ] && exit 1
	exit 0
fi
if [ $# -eq 0 ]; then
	set -- internal/num retrieval
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for pkg in "$@"; do
	cd "$root/$pkg"
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -c -o "$work/arm64.test" .
	echo "arm64 conformance: $pkg"
	qemu-aarch64 "$work/arm64.test" -test.run 'Golden|Conformance' -test.v >"$work/out" 2>&1 || {
		cat "$work/out"
		exit 1
	}
	grep -E '^(---|ok|PASS)' "$work/out"
	grep -q '^--- PASS' "$work/out" || {
		echo "arm64 conformance: $pkg has no golden or conformance test" >&2
		exit 1
	}
done
