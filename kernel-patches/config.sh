#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Configure the kernel source SRC for the variant CONFIG in OBJ.
#   kernel-patches/config.sh SRC OBJ CONFIG
# Every line of the fragments must hold in the result: a kernel that silently lacks what its tests
# are for would pass them.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

[ $# = 3 ] || die "usage: config.sh SRC OBJ CONFIG" 2
src=$1 obj=$2 config=$3
configs=$kp/$family/configs
known=$(find "$configs" -name '*.config' -printf '%f\n' | sed 's/\.config$//' | sort)
[ -e "$configs/$config.config" ] ||
	die "unknown configuration '$config'; one of: ${known//$'\n'/ }" 2

# A fragment's own lines come last, so they win over those it includes. These lie next to it, or are
# those of another source: 6.12/base.
fragments() {
	local f=$1/$2.config i
	local -a included
	read -ra included < <(sed -n 's/^# include: //p' "$f") || true
	for i in "${included[@]}"; do
		case $i in
		*/*) fragments "$kp/${i%/*}/configs" "${i#*/}" ;;
		*) fragments "$1" "$i" ;;
		esac
	done
	echo "$f"
}

wanted() {
	cat "$@" | sed -nE 's/^# (CONFIG_[A-Z0-9_]+) is not set$/\1=n/p; /^CONFIG_/p' |
		awk -F= '{ v[$1] = $0 } END { for (k in v) print v[k] }'
}

# An option that no Kconfig has belongs to a later patch; only BISECT=1 lets that pass.
unknown() {
	[ "${BISECT:-0}" = 1 ] &&
		! git -C "$src" grep -qE "^[[:space:]]*(menu)?config ${1#CONFIG_}\$" -- '*Kconfig*'
}

check() {
	local line key bad=0
	while read -r line; do
		key=${line%%=*}
		if [ "${line#*=}" = n ]; then
			! grep -q "^$key=" "$obj/.config" || { say "$config: $key is set all the same"; bad=1; }
		elif ! grep -qxF "$line" "$obj/.config" && ! unknown "$key"; then
			say "$config: $line is not in the result (a dependency is missing?)"
			bad=1
		fi
	done < <(wanted "$@")
	[ $bad = 0 ]
}

mapfile -t files < <(fragments "$configs" "$config")
mkdir -p "$obj"
cat "${files[@]}" >"$obj/.fragments.new"
if [ -e "$obj/.config" ] && cmp -s "$obj/.fragments.new" "$obj/.fragments"; then
	# Of an earlier commit: what that did not know was left out.
	[ "${BISECT:-0}" = 0 ] || cat "${files[@]}" >>"$obj/.config"
	kmake "$src" "$obj" olddefconfig >/dev/null 2>&1
	check "${files[@]}" || die "the configuration $config cannot be had"
	exit 0
fi
rm -f "$obj/.fragments"
kmake "$src" "$obj" tinyconfig >/dev/null
cat "${files[@]}" >>"$obj/.config"
kmake "$src" "$obj" olddefconfig >/dev/null 2>&1
check "${files[@]}" || die "the configuration $config cannot be had"
mv "$obj/.fragments.new" "$obj/.fragments"
