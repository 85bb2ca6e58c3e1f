#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build the BPF selftests that tests.conf names into build/regress: those of the unpatched tree.
# With SERIES=7.x/fixes it is 7.x.conf, into build/regress-7.x: those of the series, which has new
# ones.
#   selftests/kernel/regress/build.sh all                 both kernels, programs, modules of each
#   selftests/kernel/regress/build.sh programs BASE       vmlinux.h is made of build/kernel-obj/BASE
#   selftests/kernel/regress/build.sh modules OBJ SIDE   bpf_testmod.ko and others for the kernel
#                                                 of build/kernel-obj/OBJ; those of 7.x are
#                                                 built with it, into build/kernels/NAME/extra
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../../..")
SERIES=${SERIES:-6.12}
tree=$top/build/linux-${SERIES%%/*}
obj=$top/build/kernel-obj
# Programs that need a newer clang are left out for 7.x, with the tests of them.
work=$top/build/regress conf=$here/tests.conf rev=base strict=1
[ "$SERIES" = 6.12 ] || work+=-7.x conf=$here/7.x.conf rev=${SERIES#*/} strict=0
src=$work/src bpf=$work/src/tools/testing/selftests/bpf out=$work/out
PATH=$PATH:/usr/sbin:/sbin
usage='usage: build.sh all | programs BASE | modules OBJ SIDE'
what=${1:?$usage} of=${2:-}

die() {
	printf 'regress: %s\n' "$1" >&2
	exit "${2:-1}"
}

# What `make` in tools/ reads, and nothing else; reduced to the wanted tests.
unpack() {
	local stamp
	stamp=$(cat "$conf" "$here/pick.py" | sha256sum | cut -c-16)
	stamp=$(git -C "$tree" rev-parse "$rev")-$stamp
	[ "$(cat "$work/.stamp" 2>/dev/null)" != "$stamp" ] || return 0
	rm -rf "$work/.new" && mkdir -p "$work/.new"
	git -C "$tree" archive "$rev" tools/{arch,bpf,build,include,lib,scripts} \
		tools/testing/selftests/{bpf,lib.mk} \
		scripts kernel/bpf/disasm.{c,h} include/uapi | tar -x -m -C "$work/.new"
	"$here/pick.py" "$conf" "$work/.new/tools/testing/selftests/bpf" >"$work/.vars"
	# test_progs of 7.x does not start on a kernel without CONFIG_KEYS, which only signed
	# programs need: none of these tests.
	sed -i '/= register_session_key(/,/return err;/ s/return err;/err = 0;/' \
		"$work/.new/tools/testing/selftests/bpf/test_progs.c"
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
	nice -n 19 make -s -C "$bpf" -j"$(nproc)" OUTPUT="$out" VMLINUX_BTF="$obj/$of/vmlinux" \
		CLANG="$clang" feature-llvm=0 LLD=bfd BPF_STRICT_BUILD=$strict \
		TRUNNER_BPFTOOL= TRUNNER_EXTRA_FILES= LIBARENA_SKEL= LIBARENA_ASAN_SKEL= \
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
	local to=$out/modules-$1 copy=$work/modules-$1 m
	mkdir -p "$to"
	rsync -rc "$bpf/" "$copy/" --include='bpf_test*/' --include='bpf_test*/*.[ch]' \
		--include='bpf_test*/Makefile' --exclude='*'
	for m in "$copy"/bpf_test*/; do
		# make does not know that another vmlinux means another BTF
		rm -f "$m"*.ko
		nice -n 19 make -s -C "$obj/$of" M="${m%/}" modules
		cp "$m"*.ko "$to/"
	done
}

module_copies() {
	rm -rf "$out/modules-$1" && mkdir -p "$out/modules-$1"
	cp "$top/build/kernels/$2/extra"/bpf_test*.ko "$out/modules-$1/"
}

# The tests of a file need not be named after it, and one file may have many.
test_names() {
	local f
	for f in "$bpf"/prog_tests/*.c; do
		sed -nE "s/^void (serial_)?test_([a-zA-Z0-9_]+)\((void)?\).*/$(basename "$f" .c) \2/p" "$f"
	done
}

programs() {
	local binaries
	bootstrap
	binaries=$(awk '/^[^#]/ && $3 == "prog" { print $4 }' "$conf")
	# shellcheck disable=SC2086 # several targets
	selftests_make test_progs "$out/urandom_read" $binaries
	strip -g "$out/test_progs"
	test_names >"$out/tests"
}

all() {
	local kernels=$top/kernel-patches
	if [ "$SERIES" = 6.12 ]; then
		"$kernels/build.sh" --commit base --as regress-base regress
		"$kernels/build.sh" regress
		"$0" programs regress-base
		"$0" modules regress-base base
		"$0" modules regress patched
	else
		SERIES=7.x/stock "$kernels/tree.sh"
		SERIES=7.x/stock "$kernels/build.sh" lean
		"$kernels/tree.sh"
		"$kernels/build.sh" lean
		"$0" programs 7.x-lean
		module_copies base 7.x-stock
		module_copies patched "7.x-${SERIES#*/}"
	fi
}

[ "$what" != all ] || {
	all
	exit
}
clang=$("$top/scripts/find-clang.sh") || die "no clang: run scripts/setup.sh" 3
git -C "$tree" rev-parse -q --verify "$rev" >/dev/null ||
	die "no tree in $tree: run make kernel-tree" 3
[ -e "$obj/$of/vmlinux" ] || die "no objects in $obj/$of: see selftests/kernel/regress/README.md" 3
mkdir -p "$out"
exec 9>"$work/.lock"
flock 9
unpack
case $what in
programs) programs ;;
modules) module_set "${3:?$usage}" ;;
*) die "$usage" 2 ;;
esac
