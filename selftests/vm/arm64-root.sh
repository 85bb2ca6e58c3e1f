#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Make build/arm64-root, a small Debian for arm64: emulated arm64 guests start from it, and programs
# for them are compiled against it. Nothing of it is configured or run here, and this machine's
# packages stay as they are. Does nothing if it exists.
#   selftests/vm/arm64-root.sh [--refresh]
set -euo pipefail

top=$(readlink -f "$(dirname "$0")/../..")
root=$top/build/arm64-root
new=$top/build/.new-arm64-root
apt=$top/build/kernels/.apt/arm64
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=scripts/private-apt.sh
. "$top/scripts/private-apt.sh"
# shellcheck source=scripts/mirrors.sh
. "$top/scripts/mirrors.sh"

# What virtme's init and the tests call, then what they are linked with. bookworm's libbpf lacks
# some functions that we need.
PACKAGES='base-files base-passwd bash coreutils dash findutils gawk grep gzip hostname iproute2 kmod
login mount procps sed util-linux
libc6-dev libelf-dev libjansson-dev libmicrohttpd-dev libncurses-dev uthash-dev
zlib1g-dev'
BACKPORTS='libbpf-dev libbpf1'

die() {
	printf 'arm64-root: %s\n' "$1" >&2
	exit "${2:-1}"
}

# An apt that knows of no installed package fetches all that these depend on.
fetch() {
	private_apt "$apt/$1" "$mirror" "$1" arm64 || die "$apt_error" 3
	shift
	timeout 900 apt-get "${aptc[@]}" -y --no-install-recommends "$@" >>"$apt/log" 2>&1 ||
		die "cannot fetch packages for arm64: $(grep -E '^(E|W):' "$apt/log" | tail -n 1)" 3
}

# As the package base-files would, so that /bin and /usr/bin are one.
merge_usr() {
	local d
	for d in bin sbin lib; do
		mkdir -p "$new/usr/$d"
		ln -s "usr/$d" "$new/$d"
	done
}

unpack() {
	local deb
	for deb in "$new"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$new" -x --keep-directory-symlink --no-same-owner
		basename "$deb" .deb
	done >"$new/VERSIONS"
	rm -rf "$new"/debs "$new"/usr/share/{doc,info,locale,man}
}

# Links to /lib/... mean the root's own, also where this machine's linker follows them.
relative_links() {
	local l
	find "$new/usr/lib" -type l -lname '/*' | while read -r l; do
		ln -sfrn "$new$(readlink "$l")" "$l"
	done
}

# What maintainer scripts would have made; this tree appears at its own place.
furnish() {
	mkdir -p "$new"/{dev,home,mnt,opt,proc,root,run,srv,sys,tmp} "$new/etc" "$new$top"
	ln -sf dash "$new/bin/sh"
	[ -e "$new/usr/bin/awk" ] || ln -s gawk "$new/usr/bin/awk"
	cp "$new/usr/share/base-passwd/passwd.master" "$new/etc/passwd"
	cp "$new/usr/share/base-passwd/group.master" "$new/etc/group"
	touch "$new"/etc/{fstab,hosts,shadow,sudoers}
	mkdir -p "$new/etc/lvm" "$new/lib/modules"
}

[ "${1:-}" = --refresh ] || [ ! -e "$root/VERSIONS" ] || exit 0
find_mirror debian || die "$mirror_error" 3
mkdir -p "$apt"
exec 9>"$apt/.lock"
flock 9
rm -rf "$new"
mkdir -p "$new/debs/partial"
trap 'rm -rf "$new"' EXIT
: >"$apt/log"
echo "arm64-root: unpacking Debian bookworm for arm64 into build/arm64-root" >&2
# shellcheck disable=SC2086 # lists of words
{
	fetch bookworm -o "Dir::Cache::archives=$new/debs" --download-only install $PACKAGES
	(cd "$new/debs" && fetch bookworm-backports download $BACKPORTS)
}
merge_usr
unpack
relative_links
furnish
rm -rf "$root"
mv "$new" "$root"
