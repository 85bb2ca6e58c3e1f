#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build the BPF selftests of the unpatched tree that tests.conf names into build/regress.
#   selftests/regress/build.sh BASE KERNEL   names below build/kernel-obj (regress-base, regress):
#   vmlinux.h is made
#                                            of the first, bpf_testmod.ko of each
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../..")
tree=$top/build/linux-6.12
obj=$top/build/kernel-obj
work=$top/build/regress
src=$work/src bpf=$work/src/tools/testing/selftests/bpf out=$work/out
binaries='test_verifier test_maps test_lru_map test_lpm_map'
modules='bpf_testmod bpf_test_no_cfi bpf_test_modorder_x bpf_test_modorder_y'
PATH=$PATH:/usr/sbin:/sbin
base=${1:?usage: build.sh BASE KERNEL} kernel=${2:?usage: build.sh BASE KERNEL}

die() {
	printf 'regress: %s\n' "$1" >&2
	exit "${2:-1}"
}

# What `make` in tools/ reads, and nothing else; reduced to the wanted tests.
unpack() {
	local stamp
	stamp=$(cat "$here/tests.conf" "$here/pick.py" | sha256sum | cut -c-16)
	stamp=$(git -C "$tree" rev-parse base)-$stamp
	[ "$(cat "$work/.stamp" 2>/dev/null)" != "$stamp" ] || return 0
	rm -rf "$work/.new" && mkdir -p "$work/.new"
	git -C "$tree" archive base tools/{arch,bpf,build,include,lib,scripts} \
		tools/testing/selftests/{bpf,lib.mk} \
		scripts kernel/bpf/disasm.{c,h} include/uapi | tar -x -m -C "$work/.new"
	"$here/pick.py" "$here/tests.conf" "$work/.new/tools/testing/selftests/bpf" >"$work/.vars"
	mkdir -p "$src"
	# By contents, so that a new list of tests compiles only what is new.
	rsync -rlc --delete --exclude tests.h "$work/.new/" "$src/"
	rm -rf "$work/.new"
	echo "$stamp" >"$work/.stamp"
}

selftests_make() {
	local -a vars
	mapfile -t vars <"$work/.vars"
	# The Makefile finds again what .d files name without a folder, except light skeletons.
	find "$out" -maxdepth 1 -name '*.test.d' -exec \
		sed -i -E "s#( |^)([a-z0-9_]+\\.lskel\\.h)#\\1$out/\\2#g" {} +
	nice -n 19 make -s -C "$bpf" -j"$(nproc)" OUTPUT="$out" VMLINUX_BTF="$obj/$base/vmlinux" \
		CLANG="$clang" feature-llvm=0 LLD=bfd TRUNNER_BPFTOOL= TRUNNER_EXTRA_FILES= \
		BPFTOOL="$out/tools/build/bpftool/bootstrap/bpftool" \
		"${vars[@]}" "$@"
}

bootstrap() {
	mkdir -p "$out/tools/build/bpftool"
	nice -n 19 make -s -C "$src/tools/bpf/bpftool" -j"$(nproc)" \
		OUTPUT="$out/tools/build/bpftool/" CLANG="$clang" \
		feature_display=0 bootstrap
}

# Modules are built in a copy, because the compiler writes beside the source. Their BTF is that of
# the kernel they are for.
module_set() {
	local of=$1 to=$out/modules-$2 copy=$work/modules-$2 m
	mkdir -p "$to"
	rsync -rc "$bpf/" "$copy/" --include='bpf_test*/' --include='bpf_test*/*.[ch]' \
		--include='bpf_test*/Makefile' --exclude='*'
	for m in $modules; do
		# make does not know that another vmlinux means another BTF
		rm -f "$copy/$m/$m.ko"
		nice -n 19 make -s -C "$obj/$of" M="$copy/$m" modules
		cp "$copy/$m/$m.ko" "$to/"
	done
}

# The tests of a file need not be named after it, and one file may have many.
test_names() {
	local f
	for f in "$bpf"/prog_tests/*.c; do
		sed -nE "s/^void (serial_)?test_([a-zA-Z0-9_]+)\((void)?\).*/$(basename "$f" .c) \2/p" "$f"
	done
}

clang=$("$top/scripts/find-clang.sh") || die "no clang: run scripts/setup.sh" 3
git -C "$tree" rev-parse -q --verify base >/dev/null ||
	die "no tree in $tree: run make kernel-tree" 3
for k in "$base" "$kernel"; do
	[ -e "$obj/$k/vmlinux" ] || die "no objects in $obj/$k: see selftests/regress/README.md" 3
done
mkdir -p "$out"
exec 9>"$work/.lock"
flock 9
unpack
bootstrap
# shellcheck disable=SC2086 # several targets
selftests_make test_progs "$out/urandom_read" $binaries
strip -g "$out/test_progs"
module_set "$base" base
module_set "$kernel" patched
test_names >"$out/tests"
