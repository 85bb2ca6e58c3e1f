#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# BPF programs in Linux' own source, as objects for `rqspin check`: the schedulers of
# tools/sched_ext, and those of its BPF selftests that have locks or callbacks.
#   selftests/tool/check/linux.sh FOLDER
# Source and types are those of the guest kernel debian-7.3; they are kept in FOLDER/linux (170 MB
# are downloaded). Exit 3 with the reason if they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../../.."

kernel=debian-7.3
to=$(readlink -f "${1:?usage: linux.sh FOLDER}")
linux=$to/linux
# shellcheck source=selftests/tool/check/linux-flags.sh
. selftests/tool/check/linux-flags.sh
# shellcheck source=scripts/private-apt.sh
. scripts/private-apt.sh
# shellcheck source=scripts/mirrors.sh
. scripts/mirrors.sh

die() {
	printf 'linux.sh: no objects: %s\n' "$1" >&2
	exit 3
}

suite() {
	awk -F'|' -v name="$kernel" '{ gsub(/ /, "") } $1 == name { print $2 }' \
		selftests/vm/kernels.conf
}

fetch_source() {
	local from version
	from=$(suite)
	[ -n "$from" ] || die "selftests/vm/kernels.conf has no $kernel"
	find_mirror debian || die "$mirror_error"
	private_apt "$linux/apt" "$mirror" "${from%%,*}" || die "$apt_error"
	version=$(grep -oE '[0-9]+\.[0-9]+' "build/kernels/$kernel/VERSION" | head -n 1)
	(cd "$linux" && apt-get "${aptc[@]}" download "linux-source-$version" >&2) ||
		die "linux-source-$version cannot be downloaded"
	rm -rf "$linux/source.new" "$linux/tools"
	mkdir "$linux/source.new"
	dpkg --fsys-tarfile "$linux"/linux-source-*.deb | tar xO --wildcards '*/linux-source-*.tar.*' |
		xz -dc | tar x -C "$linux/source.new" --strip-components 1 --wildcards '*/tools/sched_ext/*' \
		'*/tools/include/*' '*/tools/lib/bpf/*.h' '*/tools/testing/selftests/bpf/*.h' \
		'*/tools/testing/selftests/bpf/progs/*'
	rm -f "$linux"/linux-source-*.deb
	mv "$linux/source.new/tools" "$linux/tools"
}

# The image carries the kernel as ELF, compressed, somewhere behind its own start.
fetch_types() {
	python3 - "build/kernels/$kernel"/boot/vmlinuz-* "$linux/vmlinux" <<-'EOF'
		import pathlib, subprocess, sys
		image = pathlib.Path(sys.argv[1]).read_bytes()
		packers = {b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ\x00": "xz", b"\x1f\x8b\x08": "gzip"}
		for magic, packer in packers.items():
		    at = image.find(magic)
		    while at >= 0:
		        elf = subprocess.run([packer, "-dc"], input=image[at:], capture_output=True).stdout
		        if elf.startswith(b"\x7fELF"):
		            sys.exit(pathlib.Path(sys.argv[2]).write_bytes(elf) and 0)
		        at = image.find(magic, at + 1)
		sys.exit("the image cannot be unpacked")
	EOF
	objcopy --dump-section .BTF="$linux/btf" "$linux/vmlinux" /dev/null
	"${BPFTOOL:-bpftool}" btf dump file "$linux/btf" format c >"$linux/vmlinux.h.new"
	rm -f "$linux/vmlinux"
	mv "$linux/vmlinux.h.new" "$linux/vmlinux.h"
}

# compile SOURCE OBJECT INCLUDE...; a source that needs a newer compiler or other types is counted.
compile() {
	local source=$1 object=$2 log
	shift 2
	log=$("$clang" "${linux_flags[@]}" "$@" -I"$linux" -Ibuild/libbpf/include -c "$source" \
		-o "$object" 2>&1) &&
		nr=$((nr + 1)) && return 0
	rm -f "$object"
	printf 'left out: %s: %s\n' "$(basename "$source")" "$(grep -m 1 'error:' <<<"$log")"
}

compile_schedulers() {
	local source from=$linux/tools/sched_ext
	for source in "$from"/*.bpf.c; do
		compile "$source" "$to/objects/linux-$(basename "$source" .bpf.c).bpf.o" \
			-I"$from/include" -I"$from/include/bpf-compat"
	done
}

# Those named verifier_* provoke faults of verifiers; a kernel of this machine may still have them.
compile_selftests() {
	local name from=$linux/tools/testing/selftests/bpf
	for name in $(cd "$from/progs" && grep -lE "$subjects" -- *.c | sed 's/\.c$//'); do
		[[ $name != verifier_* ]] || continue
		compile "$from/progs/$name.c" "$to/objects/selftests-$name.bpf.o" -I"$from" \
			-I"$from/libarena/include" -idirafter "$linux/tools/include/uapi" \
			-I"$linux/tools/include" -idirafter "/usr/include/$(uname -m)-linux-gnu"
	done
}

subjects='spin_lock|bpf_timer|bpf_wq|task_work|bpf_loop|for_each_map_elem|user_ringbuf_drain'
subjects+='|find_vma|set_exception|irq_save|preempt_disable'
mkdir -p "$linux" "$to/objects"
selftests/vm/fetch-kernel.sh "$kernel" >&2 || die "the kernel cannot be fetched"
[ -d "$linux/tools/testing/selftests/bpf" ] || fetch_source
# In the background: with "|| die" behind it, no error within would end it.
if [ ! -s "$linux/vmlinux.h" ]; then
	(fetch_types) &
	wait $! || die "the kernel's types cannot be read"
fi
clang=$(scripts/find-clang.sh clang) || die "no clang"
nr=0
compile_schedulers
compile_selftests
printf 'linux (%s): %d objects\n' "$kernel" "$nr"
