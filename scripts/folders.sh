#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The folders of an installation: uninstall removes those that install made, if they are empty.
#   scripts/folders.sh make DESTDIR LIST FOLDER...    LIST, in one of them, records what was made
#   scripts/folders.sh remove DESTDIR LIST
set -euo pipefail

verb=$1 dest=$2 list=$3
shift 3

# Each part of the path on its own: /opt may be there when /opt/rq is not.
make_folder() {
	local part path=
	local -a parts
	IFS=/ read -ra parts <<<"$1"
	for part in "${parts[@]}"; do
		path+=${part:+/$part}
		[ -d "$dest$path/" ] && continue # the slash: without DESTDIR the first part is the root itself
		install -d "$dest$path"
		made+=("$path")
	done
}

case $verb in
make)
	made=()
	for folder; do make_folder "$folder"; done
	[ ${#made[@]} = 0 ] || printf '%s\n' "${made[@]}" >>"$dest$list"
	;;
remove)
	[ -e "$dest$list" ] || exit 0
	mapfile -t made < <(tac "$dest$list")
	rm -f "$dest$list"
	for folder in "${made[@]}"; do
		[ ! -d "$dest$folder" ] || rmdir --ignore-fail-on-non-empty "$dest$folder"
	done
	;;
esac
