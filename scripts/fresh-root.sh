#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A test of the set-up itself: does the checkout build, show and pass on a machine that has nothing?
# Makes a minimal root below build/roots with git, make and ca-certificates, clones HEAD into it and
# runs make there on the running kernel. Needs root and debootstrap. Not for daily use.
#   scripts/fresh-root.sh bookworm|trixie|noble [MAKE TARGET|SCRIPT...]     default: demo, then test
#   A target with a slash in it is a script of the checkout.
#   KEEP=1 keeps the root. The packages come from where this machine's apt has that distribution, or
#   from DEBIAN_MIRROR and DEBIAN_SECURITY_MIRROR, or UBUNTU_MIRROR.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/mirrors.sh
. scripts/mirrors.sh

die() {
	printf 'fresh-root: %s\n' "$1" >&2
	exit "${2:-1}"
}

suite=${1:-}
case $suite in
bookworm | trixie) archive=debian ;;
noble) archive=ubuntu ;;
*) die "usage: fresh-root.sh bookworm|trixie|noble [MAKE TARGET|SCRIPT...]" 2 ;;
esac
shift
[ $# -gt 0 ] || set -- demo test
[ "$(id -u)" = 0 ] || die "needs root (debootstrap, mount)"
if [ "$suite" = bookworm ]; then
	find_mirror debian-security || die "$mirror_error"
	security=$mirror
fi
find_mirror $archive || die "$mirror_error"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

root=$PWD/build/roots/$suite
mounts=(proc sys dev)

cleanup() {
	local m
	for m in "${mounts[@]}"; do
		mountpoint -q "$root/$m" && umount -R -l "$root/$m"
	done
	mountpoint -q "$root" && umount -l "$root"
	# Never past a mount: that would be this machine's own /dev.
	if [ -z "${KEEP:-}" ] && ! grep -q " $root/" /proc/self/mounts; then
		rm -rf --one-file-system "$root"
	fi
}

make_root() {
	rm -rf --one-file-system "$root"
	mkdir -p "${root%/*}"
	local args=(--variant=minbase "--include=git,make,ca-certificates")
	local keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
	local script=/usr/share/debootstrap/scripts/sid
	if [ "$suite" = noble ]; then
		[ -e $keys ] || die "no $keys: apt-get install ubuntu-keyring"
		args+=("--components=main,universe" "--keyring=$keys")
		script=/usr/share/debootstrap/scripts/gutsy
	fi
	debootstrap "${args[@]}" "$suite" "$root" "$mirror" $script >"$root.log" 2>&1 ||
		die "debootstrap: $(tail -n 1 "$root.log")"
	[ "$suite" != noble ] ||
		echo "deb $mirror noble-updates main universe" >>"$root/etc/apt/sources.list"
	[ "$suite" != bookworm ] ||
		echo "deb $security bookworm-security main" >>"$root/etc/apt/sources.list"
}

# What ties this machine to its network (authorities, proxies) is no part of the set-up under test.
copy_network_settings() {
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
	# For Java, whose packages make a store of their own out of these.
	if cp -L /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"; then
		chroot "$root" update-ca-certificates >/dev/null
	fi 2>/dev/null
	cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
	[ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
	grep -lriE 'proxy' /etc/apt/apt.conf /etc/apt/apt.conf.d 2>/dev/null |
		while read -r f; do cp "$f" "$root/etc/apt/apt.conf.d/"; done || true
}

# A root that is a mount has mount namespaces of its own below it.
mount_kernel() {
	local m
	mount --bind "$root" "$root"
	mount --make-rprivate "$root"
	for m in "${mounts[@]}"; do
		mount --rbind "/$m" "$root/$m"
		mount --make-rslave "$root/$m"
	done
}

in_root() {
	local pip
	mapfile -t pip < <(env | grep -E '^PIP_(INDEX_URL|CERT|DEFAULT_TIMEOUT|TRUSTED_HOST)=')
	chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb CI=true RQSPIN_FRESH_ROOT=1 "${pip[@]}" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cleanup
make_root
copy_network_settings
mount_kernel
git clone -q --no-hardlinks "$PWD" "$root/root/rqspin"
for target in "$@"; do
	run=(make -C /root/rqspin "$target")
	[[ $target != */* ]] || run=("/root/rqspin/$target")
	echo "fresh-root: $suite: $target ($(git rev-parse --short HEAD))"
	start=$SECONDS
	in_root "${run[@]}" || die "$target failed in $suite (status $?)"
	echo "fresh-root: $suite: $target passed in $((SECONDS - start)) s"
done
