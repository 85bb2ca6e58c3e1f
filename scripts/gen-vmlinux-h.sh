#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Write vmlinux.h from a kernel's BTF, completed with the types that kernels
# before 6.15 lack, so that one source builds everywhere.
# usage: gen-vmlinux-h.sh BTF OUTPUT
set -euo pipefail

btf=${1:?BTF file} out=${2:?output header}
bpftool=${BPFTOOL:-bpftool}
[ -r "$btf" ] || {
	echo "gen-vmlinux-h: cannot read $btf: the kernel needs CONFIG_DEBUG_INFO_BTF;" \
		"pass VMLINUX_BTF=FILE to build for another kernel" >&2
	exit 1
}
tmp=$(mktemp "$out.XXXXXX")
trap 'rm -f "$tmp"' EXIT

add_struct() { # name, definition
	grep -q "^struct $1 {" "$tmp" || sed -i "s|^#endif /\* __VMLINUX_H__ \*/|$2\n&|" "$tmp"
}

"$bpftool" btf dump file "$btf" format c >"$tmp"
add_struct bpf_res_spin_lock 'struct bpf_res_spin_lock { unsigned int val; };'
add_struct rqspinlock_held 'struct rqspinlock_held {
	int cnt;
	void *locks[31];
} __attribute__((preserve_access_index));'
chmod "$(printf %o $((0666 & ~$(umask))))" "$tmp" # mktemp makes it private
mv "$tmp" "$out"
trap - EXIT
