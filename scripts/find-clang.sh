#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Print the command of a tool of clang, version 19 or newer: the oldest NAME-NN in PATH, else a
# plain NAME that says that it is one. Without one, print nothing and exit with 1.
#   scripts/find-clang.sh [NAME] [OLDEST]      default: clang 19
set -euo pipefail
name=${1:-clang} oldest=${2:-19}

versioned() {
	local dir f
	local -a dirs
	IFS=: read -r -a dirs <<<"$PATH"
	for dir in "${dirs[@]}"; do
		for f in "$dir/$name"-[1-9]*; do
			if [[ -x $f && ${f##*-} =~ ^[0-9]+$ ]] && ((${f##*-} >= oldest)); then
				echo "${f##*-}"
			fi
		done
	done | sort -n | head -n 1
}

plain_version() { "$name" --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\).*/\1/p'; }

version=$(versioned)
if [ -n "$version" ]; then
	echo "$name-$version"
elif command -v "$name" >/dev/null && version=$(plain_version) && ((${version:-0} >= oldest)); then
	echo "$name"
else
	exit 1
fi
