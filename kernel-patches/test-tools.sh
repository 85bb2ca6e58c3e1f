#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# libbpf of the series: does a program that is linked with it run with those libraries that have
# what it calls, and with no other? TAP; needs build/linux-6.12, and builds both tools.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

lib=$top/build/kernel-tools/libbpf
n=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() {
	local what=$1
	shift
	n=$((n + 1))
	if "$@" >"$log" 2>&1; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/# /' "$log"
	fi
}

has_version() {
	readelf -sW "$lib/libbpf.so" | grep -w "$1" | tee "$log" | grep -q "$1@@$2\$"
}

is_still() { [ "$(readlink "$lib/libbpf.so")" = "libbpf.so.$1" ]; }
own_checks() { make -s -C "$top/build/kernel-tools/src/tools/lib/bpf" OUTPUT="$lib/" check; }
bpftool_knows() {
	"$top/build/kernel-tools/bpftool/bpftool" prog help 2>&1 | grep -q 'tracelog .*stdout | stderr'
}

if ! git -C "$tree" rev-parse -q --verify base >/dev/null 2>&1; then
	echo 'ok 1 - libbpf of the series # SKIP no tree: run make kernel-tree'
	printf '1..1\n0 passed, 0 failed, 1 skipped\n'
	exit 0
fi
check "libbpf and bpftool are built" "$kp/tools.sh"
check "bpf_prog_stream_read() has the symbol version of libbpf 1.6.0" \
	has_version bpf_prog_stream_read LIBBPF_1.6.0
check "the library's own version is that of its base" is_still 1.5.0
check "libbpf's checks of symbols and version" own_checks
check "bpftool reads streams" bpftool_knows
echo "1..$n"
echo "$((n - failed)) passed, $failed failed, 0 skipped"
[ $failed = 0 ]
