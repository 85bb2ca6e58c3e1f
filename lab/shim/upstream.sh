#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# upstream.sh DEST [TREE]: the files of upstream's resilient lock that the lab compiles, below DEST,
# and a stub for every other header that they include. They come from TREE, a kernel tree, or else
# from Debian's newest linux-source of trixie-backports. DEST/VERSION says which. Does nothing when
# DEST is there; remove it to fetch again.
set -euo pipefail

dest=$(realpath -m "$1") tree=${2:-}
here=$(realpath "$(dirname "$0")")
# shellcheck source=scripts/private-apt.sh
. "$here/../../scripts/private-apt.sh"
# shellcheck source=scripts/mirrors.sh
. "$here/../../scripts/mirrors.sh"

files=(
	include/asm-generic/mcs_spinlock.h
	include/asm-generic/qspinlock.h
	include/asm-generic/qspinlock_types.h
	include/asm-generic/rqspinlock.h
	kernel/bpf/rqspinlock.c
	kernel/bpf/rqspinlock.h
	kernel/locking/lock_events.h
	kernel/locking/lock_events_list.h
	kernel/locking/mcs_spinlock.h
	kernel/locking/qspinlock.h
)
stubs=(
	asm-generic/percpu asm/byteorder linux/bpf linux/bug linux/cpumask linux/err linux/hardirq
	linux/mutex linux/percpu linux/percpu-defs linux/prefetch linux/smp linux/timekeeping
	linux/atomic linux/tracepoint-defs linux/types trace/events/lock vdso/time64
)

die() {
	printf 'upstream: %s\n' "$1" >&2
	exit 3
}

# Debian's package, without installing it: sets $version, and puts the files into $new.
fetch() {
	local apt=$work/apt package
	find_mirror debian || die "$mirror_error"
	private_apt "$apt" "$mirror" trixie-backports || die "$apt_error"
	package=$(apt-cache "${aptc[@]}" depends linux-source |
		sed -n 's/^ *Depends: \(linux-source-[0-9].*\)/\1/p' | head -n 1)
	[ -n "$package" ] || die "no linux-source in trixie-backports"
	echo "upstream: fetching $package" >&2
	(cd "$work" && timeout 900 apt-get "${aptc[@]}" download "$package") >"$apt/log" 2>&1 ||
		die "cannot download $package: $(tail -n 1 "$apt/log")"
	version=$(basename "$work"/*.deb .deb)
	dpkg-deb --fsys-tarfile "$work"/*.deb |
		tar -xf - -C "$work" --strip-components=3 --wildcards '*/linux-source-*.tar.xz'
	tar -xJf "$work"/linux-source-*.tar.xz -C "$new" --strip-components=1 \
		"${files[@]/#/$package/}"
}

take() {
	local f
	for f in "${files[@]}"; do
		[ -e "$tree/$f" ] || die "$tree has no $f: it needs a kernel from 6.15 on"
		mkdir -p "$new/$(dirname "$f")"
		cp "$tree/$f" "$new/$f"
	done
	version=$tree
}

stub() {
	mkdir -p "$new/include/$(dirname "$1")"
	{
		[ "$1" != linux/types ] || echo '#include_next <linux/types.h>'
		printf '#include "%s"\n' "$2"
	} >"$new/include/$1.h"
}

[ ! -d "$dest/kernel" ] || exit 0
mkdir -p "$(dirname "$dest")"
work=$(mktemp -d "$dest.XXXXXX")
trap 'rm -rf "$work"' EXIT
new=$work/new
mkdir "$new"
if [ -n "$tree" ]; then take; else fetch; fi
for f in "${stubs[@]}"; do
	stub "$f" "$here/shim.h"
done
stub asm/qspinlock "$here/qspinlock-arch.h"
stub asm/mcs_spinlock asm-generic/mcs_spinlock.h
stub asm/rqspinlock asm-generic/rqspinlock.h
echo "$version" >"$new/VERSION"
rm -rf "$dest"
mv "$new" "$dest"
echo "upstream: $version" >&2
