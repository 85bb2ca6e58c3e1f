#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build libbpf and bpftool as the series has them, from what is committed in build/linux-6.12, into
# build/kernel-tools: libbpf/libbpf.so, bpftool/bpftool.
#   kernel-patches/tools.sh [--commit REV]
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

rev=HEAD
case ${1:-} in
--commit) rev=${2:?} ;;
'') ;;
*) die "usage: tools.sh [--commit REV]" 2 ;;
esac
out=$top/build/kernel-tools
clang=$("$top/scripts/find-clang.sh" || true)

# Only what the two are made of.
check_out() {
	rm -rf "$out"
	mkdir -p "$out"/{src,libbpf,bpftool}
	git -C "$tree" archive "$rev" tools/{arch,bpf,build,include,lib,scripts} \
		kernel/bpf/disasm.{c,h} scripts | tar -C "$out/src" -xf -
}

compile() {
	make -s -C "$out/src/tools/$1" -j"$(nproc)" OUTPUT="$out/$2/" CLANG="$clang" \
		feature_display=0 >/dev/null
}

[ -n "$clang" ] || die "no clang: run scripts/setup.sh --build" 3
need_tree
check_out
compile lib/bpf libbpf
compile bpf/bpftool bpftool
say "build/kernel-tools/bpftool/bpftool is that of $(git -C "$tree" log -1 --format='%h %s' "$rev")"
