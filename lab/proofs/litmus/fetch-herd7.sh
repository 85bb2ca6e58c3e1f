#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fetch-herd7.sh DEST: herd7, and the C library that it wants, below DEST; prints how to run it.
# Taken from Debian's packages by an apt of its own: neither the sources nor the packages of this
# machine change. One in PATH is used as it is. Status 3: it cannot be installed; stderr says why.
set -euo pipefail

dest=$(mkdir -p "$1" && readlink -f "$1")
# shellcheck source=scripts/private-apt.sh
. "$(dirname "$(readlink -f "$0")")/../../../scripts/private-apt.sh"
# shellcheck source=scripts/mirrors.sh
. "$(dirname "$(readlink -f "$0")")/../../../scripts/mirrors.sh"

cannot() {
	printf 'herd7: %s\n' "$1" >&2
	exit 3
}

fetch() {
	local new=$dest/new deb
	rm -rf "$new" && mkdir "$new"
	(cd "$new" && timeout 600 apt-get "${aptc[@]}" download herdtools7 libc6 libgmp10 libzstd1) \
		>"$apt/log" 2>&1 ||
		cannot "cannot download herdtools7 from $mirror: $(tail -n 1 "$apt/log")"
	for deb in "$new"/*.deb; do
		dpkg-deb -x "$deb" "$new/root"
		rm "$deb"
	done
	rm -rf "$dest/root" && mv "$new/root" "$dest/root" && rmdir "$new"
}

# With the loader and the libraries that came along, whatever this machine has.
write_wrapper() {
	local loader libdir
	loader=$(find "$dest/root" -name 'ld-linux-x86-64.so.2' | head -n 1)
	libdir=$(find "$dest/root" -name herd -type d -path '*share*' | head -n 1)
	if [ -z "$loader" ] || [ ! -x "$dest/root/usr/bin/herd7" ]; then
		cannot "the packages do not have what is expected"
	fi
	cat >"$dest/herd7.new" <<-RUN
		#!/bin/sh
		exec '$loader' --library-path '$(dirname "$(readlink -f "$loader")")' \\
			'$dest/root/usr/bin/herd7' -set-libdir '$libdir' "\$@"
	RUN
	chmod +x "$dest/herd7.new"
	"$dest/herd7.new" -version >"$dest/version" 2>&1 ||
		cannot "does not run: $(tail -n 1 "$dest/version")"
	mv "$dest/herd7.new" "$dest/herd7"
}

! command -v herd7 || exit 0
[ "$(uname -m)" = x86_64 ] || cannot "packages are fetched for x86_64 only: put herd7 into PATH"
if [ ! -x "$dest/herd7" ]; then
	command -v apt-get >/dev/null || cannot "no apt-get to fetch it with: put herd7 into PATH"
	apt=$dest/apt
	find_mirror debian || cannot "$mirror_error"
	private_apt "$apt" "$mirror" sid || cannot "$apt_error"
	fetch
	write_wrapper
fi
echo "$dest/herd7"
