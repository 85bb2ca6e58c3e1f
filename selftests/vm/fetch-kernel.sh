#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fetch the kernel NAME of kernels.conf into build/kernels/NAME (boot/vmlinuz-V, lib/modules/V,
# VERSION); does nothing when it is there. apt works on a private state below build/, so neither
# the sources nor the packages of this machine change.
#   selftests/vm/fetch-kernel.sh [--refresh] NAME
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
out=$(readlink -f "$here/../..")/build/kernels
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=scripts/private-apt.sh
. "$here/../../scripts/private-apt.sh"
# shellcheck source=scripts/mirrors.sh
. "$here/../../scripts/mirrors.sh"

die() {
	printf 'fetch-kernel: %s\n' "$1" >&2
	exit "${2:-1}"
}

names() { sed 's/#.*//; s/ *|.*//; /^$/d' "$here/kernels.conf" | paste -sd ' '; }

read_conf() {
	local n
	while IFS='|' read -r n suite repo package; do
		# shellcheck disable=SC2053 # a pattern on purpose
		[[ $1 == ${n// /} ]] || continue
		suite=${suite// /} repo=${repo// /} package=${package// /}
		return 0
	done < <(sed 's/#.*//' "$here/kernels.conf")
	die "unknown kernel '$1'; one of: $(names)" 2
}

# The versioned package behind the configured one: itself for a pattern, else its dependency.
image_package() {
	case $package in
	*\**)
		apt-cache "${aptc[@]}" pkgnames "${package%%\**}" |
			grep -E "^${package/\*/[0-9.]+}\$" | sort -V | tail -n 1
		;;
	*)
		apt-cache "${aptc[@]}" depends "$package" |
			sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
		;;
	esac
}

# Newer Debian splits the image into three packages.
download() {
	local image=$1 version=${1#linux-image-} p
	local packages=("$image")
	if apt-cache "${aptc[@]}" show "linux-binary-$version" >/dev/null 2>&1; then
		packages=("linux-base-$version" "linux-binary-$version" "linux-modules-$version")
	fi
	(cd "$new" && timeout 900 apt-get "${aptc[@]}" download "${packages[@]}") >"$apt/log" 2>&1 ||
		die "cannot download ${packages[*]} from $repo: $(tail -n 1 "$apt/log")"
	for p in "$new"/*.deb; do
		dpkg-deb -x "$p" "$new/x"
		basename "$p" .deb
		rm -f "$p"
	done >"$new/VERSION"
}

# One layout for all: boot/vmlinuz-V and lib/modules/V. What the guest's start needs is unpacked,
# because busybox's insmod cannot be relied upon to read xz.
arrange() {
	local v modules
	modules=$(dirname "$(find "$new/x" -type d -path '*/lib/modules/*/kernel' -print -quit)")
	v=$(basename "$modules")
	mkdir -p "$new/boot" "$new/lib/modules"
	mv "$modules" "$new/lib/modules/$v"
	if [ -e "$new/lib/modules/$v/vmlinuz" ]; then
		mv "$new/lib/modules/$v/vmlinuz" "$new/boot/vmlinuz-$v"
	else
		mv "$new/x/boot/"* "$new/boot/"
	fi
	rm -rf "$new/x"
	find "$new/lib/modules/$v/kernel" \( -path '*/9p/*' -o -path '*/fs/netfs/*' \
		-o -path '*/fs/fuse/*' -o -path '*/fs/overlayfs/*' -o -path '*/drivers/virtio/*' \
		-o -path '*/drivers/char/*' \) \
		-name '*.ko.xz' -exec xz -d {} +
	depmod -b "$new" "$v" 2>"$apt/log" || die "depmod: $(tail -n 1 "$apt/log")"
	echo "$v" >"$new/RELEASE"
}

refresh=0
[ "${1:-}" = --refresh ] && refresh=1 && shift
[ $# = 1 ] || die "usage: fetch-kernel.sh [--refresh] NAME; NAME one of: $(names)" 2
name=$1
read_conf "$name"
[ "$package" != - ] || exit 0
if [ "$suite" = built ]; then
	[ -e "$out/$name/RELEASE" ] || die "$name is built here: run $repo"
	exit 0
fi
[ $refresh = 0 ] && [ -e "$out/$name/RELEASE" ] && exit 0

find_mirror "$repo" || die "$mirror_error"
repo=$mirror
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9
[ $refresh = 0 ] && [ -e "$out/$name/RELEASE" ] && exit 0
apt=$out/.apt/$suite
private_apt "$apt" "$repo" "$suite" || die "$apt_error"
image=$(image_package)
[ -n "$image" ] || die "no kernel image behind $package in $repo $suite"
new=$out/.new-$name
rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
echo "fetch-kernel: $name: $image from $repo $suite" >&2
download "$image"
arrange
rm -rf "${out:?}/$name"
mv "$new" "$out/$name"
echo "fetch-kernel: $name is $(cat "$out/$name/RELEASE")" >&2
