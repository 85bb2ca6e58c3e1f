# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sourced by the scripts of this folder: places, messages, the base, the ways to call make.
# SERIES is a folder with a file `series`: 6.12, or one of several on one source, as 7.x/fixes.
set -euo pipefail

kp=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(readlink -f "$kp/..")
SERIES=${SERIES:-6.12}
patches=$kp/$SERIES
family=${SERIES%%/*}
tree=$top/build/linux-$family
PATH=$PATH:/usr/sbin:/sbin

say() { printf 'kernel-patches: %s\n' "$*" >&2; }
die() {
	printf 'kernel-patches: error: %s\n' "$1" >&2
	exit "${2:-1}"
}

series_names() {
	(cd "$kp" && find . -mindepth 2 -maxdepth 3 -name BASE -printf '%h\n' | cut -c3- | sort)
}

[ -e "$patches/series" ] ||
	die "no series '$SERIES'; one of: $(series_names | paste -sd ' ')" 2

# A field of the BASE of this series, or of the one $2.
own_field() { sed -n "s/^$1: *//p" "$kp/${2:-$SERIES}/BASE"; }

# A field of BASE; what it is applied on (`after`) has what it does not say.
base_field() {
	local series=${2:-$SERIES} value
	value=$(own_field "$1" "$series")
	[ -n "$value" ] || series=$(own_field after "$series")
	[ -n "$value" ] || [ -z "$series" ] || value=$(base_field "$1" "$series")
	echo "$value"
}

# The branch of a series in the tree. Where there is only one, it is what the tree has checked out.
series_branch() {
	case $1 in
	*/*) echo "${1#*/}" ;;
	*) echo HEAD ;;
	esac
}
branch=$(series_branch "$SERIES")
after=$(own_field after)
# The commit before the first of the series.
# shellcheck disable=SC2034 # for those who source this
if [ -n "$after" ]; then start=$(series_branch "$after"); else start=base; fi

# This series and all that it is applied on, the first one first.
series_chain() {
	local before
	before=$(own_field after "$1")
	[ -z "$before" ] || series_chain "$before"
	echo "$1"
}

need_tools() {
	"$top/scripts/setup.sh" --check --build "--$1" && return 0
	die "what is listed above is missing: run scripts/setup.sh --build --$1" 3
}

# The words that make takes for this series.
make_words() { [ "$SERIES" = 6.12 ] || printf ' SERIES=%s' "$SERIES"; }

need_tree() {
	git -C "$tree" rev-parse base "$branch" >/dev/null 2>&1 ||
		die "no tree in $tree: run make kernel-tree$(make_words), or
kernel-patches/tree.sh --source TARBALL"
}

# The patches of this series, or of the one $1, in their order.
# shellcheck disable=SC2120 # mostly of this one
series_files() { sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$kp/${1:-$SERIES}/series"; }

# What its tree has: after the series its tests.
# shellcheck disable=SC2120 # mostly of this one
tree_files() {
	local name=${1:-$SERIES}
	series_files "$name"
	[ ! -e "$kp/$name/tests/series" ] || series_files "$name/tests" | sed 's|^|tests/|'
}

# The same words for the same source, wherever it is, so that ccache and the image see no difference
# in who built it, when and in which folder.
kmake() {
	local src=$1 obj=$2 arch=${ARCH:-x86_64} cross=''
	shift 2
	[ "$arch" != arm64 ] || cross=aarch64-linux-gnu-
	env CCACHE_BASEDIR="$top" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros CCACHE_DEPEND=1 \
		KBUILD_BUILD_USER=rqspin KBUILD_BUILD_HOST=rqspin KBUILD_BUILD_TIMESTAMP='1970-01-01' \
		make -s -C "$src" O="$obj" ARCH="$arch" CROSS_COMPILE="$cross" CC="$kp/ccache.sh ${cross}gcc" \
		LOCALVERSION= -j"$(nproc)" "$@"
}
