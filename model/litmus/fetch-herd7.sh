#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# fetch-herd7.sh DEST: herd7, and the C library that it wants, below DEST; prints how to run it.
# Taken from Debian's packages by an apt of its own: neither the sources nor the packages of this
# machine change. Status 3: it cannot be had here; the reason is on stderr.
set -euo pipefail

dest=$(mkdir -p "$1" && readlink -f "$1")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
repo=${HERD7_REPO:-http://deb.debian.org/debian}

cannot() {
	printf 'herd7: %s\n' "$1" >&2
	exit 3
}

prepare_apt() {
	apt=$dest/apt
	mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
	[ -e $keyring ] || cannot "no $keyring: install debian-archive-keyring"
	: >>"$apt/status"
	echo "deb [arch=amd64 signed-by=$keyring] $repo sid main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-CONF
		APT::Architecture "amd64";
		APT::Architectures "amd64";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt/cache";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/parts";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "$apt/parts";
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
	CONF
	aptc=(-c "$apt/apt.conf" -q -o Acquire::Retries=2 -o Acquire::Check-Valid-Until=false)
	timeout 300 apt-get "${aptc[@]}" -o APT::Update::Error-Mode=any update >"$apt/log" 2>&1 ||
		cannot "no package lists from $repo (no network?): $(grep -E '^(E|Err|W):?' "$apt/log" | tail -n 1)"
}

fetch() {
	local new=$dest/new deb
	rm -rf "$new" && mkdir "$new"
	(cd "$new" && timeout 600 apt-get "${aptc[@]}" download herdtools7 libc6 libgmp10 libzstd1) >"$apt/log" 2>&1 ||
		cannot "cannot download herdtools7 from $repo: $(tail -n 1 "$apt/log")"
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
		exec '$loader' --library-path '$(dirname "$(readlink -f "$loader")")' '$dest/root/usr/bin/herd7' -set-libdir '$libdir' "\$@"
	RUN
	chmod +x "$dest/herd7.new"
	"$dest/herd7.new" -version >"$dest/version" 2>&1 || cannot "does not run: $(tail -n 1 "$dest/version")"
	mv "$dest/herd7.new" "$dest/herd7"
}

[ "$(uname -m)" = x86_64 ] || cannot "packages are fetched for x86_64 only: put herd7 into PATH"
if [ ! -x "$dest/herd7" ]; then
	command -v apt-get >/dev/null || cannot "no apt-get to fetch it with: put herd7 into PATH"
	prepare_apt
	fetch
	write_wrapper
fi
echo "$dest/herd7"
