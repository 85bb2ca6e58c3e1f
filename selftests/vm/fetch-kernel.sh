#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fetch the kernel NAME of kernels.conf into build/kernels/NAME (boot/vmlinuz-V, boot/config-V,
# lib/modules/V, VERSION); does nothing when it is there, but looks once a day for a newer one where
# several suites may have it. apt works on a private state below build/, so neither the sources nor
# the packages of this machine change.
#   selftests/vm/fetch-kernel.sh [--refresh] NAME
# Exit status: 2 usage; 3 the kernel is not here and cannot be had.
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
	exit "${2:-3}"
}

names() { sed 's/#.*//; s/ *|.*//; /^$/d' "$here/kernels.conf" | paste -sd ' '; }

read_conf() {
	local n
	while IFS='|' read -r n suites repo package; do
		# shellcheck disable=SC2053 # a pattern on purpose
		[[ $1 == ${n// /} ]] || continue
		# The third may be a command.
		repo=${repo#"${repo%%[! ]*}"}
		suites=${suites// /} repo=${repo%"${repo##*[! ]}"} package=${package// /}
		return 0
	done < <(sed 's/#.*//' "$here/kernels.conf")
	die "unknown kernel '$1'; one of: $(names)" 2
}

# The versioned package behind the configured one: itself for a pattern, else its dependency.
image_package() {
	local pattern
	case $package in
	*\**)
		pattern=${package//[.+]/[&]}
		apt-cache "${aptc[@]}" pkgnames "${package%%\**}" |
			grep -xE "${pattern/\*/[0-9a-z.+]+}" | sort -V | tail -n 1
		;;
	*)
		apt-cache "${aptc[@]}" depends "$package" |
			sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
		;;
	esac
}

# Sets $image and $version to what the suite $1 has. If there is none, $lack says why; where the
# suite could not be looked at, that is said at once.
suite_image() {
	image='' version=''
	if ! private_apt "$out/.apt/$1" "$repo" "$1"; then
		lack=$apt_error
		[ "$1" = "$suites" ] || echo "fetch-kernel: $name: suite not looked at: $lack" >&2
		return 1
	fi
	image=$(image_package || true)
	lack="no kernel image behind $package in $repo $1"
	[ -n "$image" ] || return 1
	version=$(apt-cache "${aptc[@]}" show --no-all-versions "$image" | sed -n 's/^Version: //p')
}

is_newer() { dpkg --compare-versions "$1" gt "$2"; }

# Sets $image, $version and $suite to the newest over the suites, and $seen to what each has.
# Without any it fails, and $lack is what the first one said.
newest_image() {
	local s newest='' best='' from='' first=''
	seen=''
	for s in ${suites//,/ }; do
		if ! suite_image "$s"; then
			first=${first:-$lack}
			seen+="$s: $lack"$'\n'
			continue
		fi
		seen+="$s: $image $version"$'\n'
		if [ -z "$best" ] || is_newer "$version" "$best"; then
			newest=$image best=$version from=$s
		fi
	done
	image=$newest version=$best suite=$from lack=$first
	[ -n "$best" ]
}

# Newer Debian splits the image into three packages.
download() {
	local release=${image#linux-image-} p
	local packages=("$image")
	private_apt "$out/.apt/$suite" "$repo" "$suite" || die "$apt_error"
	if apt-cache "${aptc[@]}" show "linux-binary-$release" >/dev/null 2>&1; then
		packages=("linux-base-$release" "linux-binary-$release" "linux-modules-$release")
	fi
	(cd "$new" && timeout 900 apt-get "${aptc[@]}" download "${packages[@]}") >"$log" 2>&1 ||
		die "cannot download ${packages[*]} from $repo: $(tail -n 1 "$log")"
	for p in "$new"/*.deb; do
		dpkg-deb -x "$p" "$new/x"
		basename "$p" .deb
		rm -f "$p"
	done >"$new/VERSION"
}

# One layout for all: boot/vmlinuz-V, boot/config-V and lib/modules/V. What the guest's start needs
# is unpacked, because busybox's insmod cannot be relied upon to read xz.
arrange() {
	local v modules f
	modules=$(dirname "$(find "$new/x" -type d -path '*/lib/modules/*/kernel' -print -quit)")
	v=$(basename "$modules")
	mkdir -p "$new/boot" "$new/lib/modules"
	mv "$modules" "$new/lib/modules/$v"
	[ ! -d "$new/x/boot" ] || mv "$new/x/boot/"* "$new/boot/"
	for f in vmlinuz config; do
		[ ! -e "$new/lib/modules/$v/$f" ] || mv "$new/lib/modules/$v/$f" "$new/boot/$f-$v"
		[ -e "$new/boot/$f-$v" ] || die "no $f in the packages of $image"
	done
	rm -rf "$new/x"
	find "$new/lib/modules/$v/kernel" \( -path '*/9p/*' -o -path '*/fs/netfs/*' \
		-o -path '*/fs/fuse/*' -o -path '*/fs/overlayfs/*' -o -path '*/drivers/virtio/*' \
		-o -path '*/drivers/char/*' \) \
		-name '*.ko.xz' -exec xz -d {} +
	depmod -b "$new" "$v" 2>"$log" || die "depmod: $(tail -n 1 "$log")"
	echo "$v" >"$new/RELEASE"
}

# The name of another kernel here that is this image: its files are shared.
same_image() {
	local f
	for f in "$out"/*/IMAGE; do
		[ "$f" != "$out/$name/IMAGE" ] || continue
		[ "$(cat "$f" 2>/dev/null)" = "$image $version" ] || continue
		basename "$(dirname "$f")"
		return 0
	done
	return 1
}

fetch_image() {
	local same
	if same=$(same_image); then
		echo "fetch-kernel: $name: $image $version is here as $same" >&2
		cp -al "$out/$same/." "$new"
	else
		echo "fetch-kernel: $name: $image $version from $repo $suite" >&2
		download
		arrange
	fi
	# Not through the link to the other one's file.
	rm -f "$new/IMAGE" "$new/SUITES"
	echo "$image $version" >"$new/IMAGE"
	printf '%s' "$seen" >"$new/SUITES"
}

# Whether nothing needs to be done: it is here, and no other suite could have a newer one since.
is_here() {
	[ $refresh = 0 ] && [ -e "$out/$name/RELEASE" ] || return 1
	[[ $suites != *,* ]] || [ -n "$(find "$out/$name/SUITES" -mtime -1 2>/dev/null)" ]
}

# What is here stays where no suite has a newer one, be it that none could be looked at.
keep_image() {
	local old
	[ -e "$out/$name/IMAGE" ] || return 1
	read -r _ old <"$out/$name/IMAGE"
	[ -n "$version" ] || echo "fetch-kernel: $name stays $old: $lack" >&2
	if [ -n "$version" ] && is_newer "$version" "$old"; then
		return 1
	fi
	printf '%s' "$seen" >"$out/$name/SUITES"
}

refresh=0
[ "${1:-}" = --refresh ] && refresh=1 && shift
[ $# = 1 ] || die "usage: fetch-kernel.sh [--refresh] NAME; NAME one of: $(names)" 2
name=$1
read_conf "$name"
[ "$package" != - ] || exit 0
if [ "$suites" = built ]; then
	[ -e "$out/$name/RELEASE" ] || die "$name is built here: run $repo"
	exit 0
fi
is_here && exit 0

if ! find_mirror "$repo"; then
	[ -e "$out/$name/IMAGE" ] || die "$mirror_error"
	echo "fetch-kernel: $name stays $(cut -d' ' -f2 "$out/$name/IMAGE"): $mirror_error" >&2
	exit 0
fi
repo=$mirror
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9
is_here && exit 0
log=$out/.log
new=$out/.new-$name
rm -rf "$new"
mkdir -p "$new"
trap 'rm -rf "$new"' EXIT
newest_image || [ -e "$out/$name/IMAGE" ] || die "$lack"
keep_image && exit 0
fetch_image
rm -rf "${out:?}/$name"
mv "$new" "$out/$name"
echo "fetch-kernel: $name is $(cat "$out/$name/RELEASE")" >&2
