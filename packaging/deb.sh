#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build the Debian packages of a source archive that `make dist` has made, beside it: deb.sh ARCHIVE
# Needs dpkg-dev, debhelper and what packaging/debian/control says; lintian looks at the result.
set -euo pipefail

die() {
	printf 'deb: %s\n' "$1" >&2
	exit "${2:-1}"
}

[ $# = 1 ] || die "usage: deb.sh ARCHIVE" 2
[ -f "$1" ] || die "$1: no such file: run make dist"
for tool in dpkg-buildpackage dh; do
	command -v $tool >/dev/null || die "no $tool: apt-get install dpkg-dev debhelper"
done
archive=$(readlink -f "$1")
out=$(dirname "$archive")
name=$(basename "$archive" .tar.xz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$archive" "$work/${name/-/_}.orig.tar.xz"
tar -C "$work" -xf "$archive"
cp -r "$work/$name/packaging/debian" "$work/$name/debian"
# A file of a package is as old as the source, whenever it is built.
(cd "$work/$name" && dpkg-buildpackage -us -uc "${DEB_FLAGS:---build=full}")
rm -f "$work"/*.buildinfo.asc
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +
if command -v lintian >/dev/null; then
	# The packages are not of Debian's archive: there is no request that they answer.
	lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs \
		"$out"/*.changes
else
	echo "deb: no lintian here: packages are not checked" >&2
fi
ls "$out"/*.deb
