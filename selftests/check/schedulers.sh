#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The schedulers in Linux' own source (tools/sched_ext), as objects for `rqspin check`:
#   selftests/check/schedulers.sh FOLDER
# Source and types are those of the guest kernel debian-7.3; they are kept in FOLDER/linux (170 MB
# are downloaded). Exit 3 with the reason if they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../.."

kernel=debian-7.3
to=$(readlink -f "${1:?usage: schedulers.sh FOLDER}")
linux=$to/linux
# shellcheck source=scripts/private-apt.sh
. scripts/private-apt.sh
# shellcheck source=scripts/mirrors.sh
. scripts/mirrors.sh

die() {
	printf 'schedulers.sh: no objects: %s\n' "$1" >&2
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
	dpkg --fsys-tarfile "$linux"/linux-source-*.deb | tar xO --wildcards '*/linux-source-*.tar.*' |
		xz -dc | tar x -C "$linux" --strip-components 1 --wildcards '*/tools/sched_ext/*'
	rm -f "$linux"/linux-source-*.deb
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
	"${BPFTOOL:-bpftool}" btf dump file "$linux/btf" format c >"$linux/vmlinux.h"
	rm -f "$linux/vmlinux"
}

mkdir -p "$linux" "$to/objects"
selftests/vm/fetch-kernel.sh "$kernel" >&2 || die "the kernel cannot be fetched"
[ -d "$linux/tools/sched_ext" ] || fetch_source
[ -s "$linux/vmlinux.h" ] || fetch_types || die "the kernel's types cannot be read"
clang=$(scripts/find-clang.sh clang) || die "no clang"
nr=0
for source in "$linux"/tools/sched_ext/*.bpf.c; do
	"$clang" -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -w -I"$linux/tools/sched_ext/include" \
		-I"$linux/tools/sched_ext/include/bpf-compat" -I"$linux" -Ibuild/libbpf/include \
		-c "$source" -o "$to/objects/linux-$(basename "$source" .bpf.c).bpf.o" && nr=$((nr + 1))
done
printf 'linux (%s): %d objects\n' "$kernel" "$nr"
