# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Sourced by the scripts of this folder: places, messages, the base, the ways to call make.
set -euo pipefail

kp=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(readlink -f "$kp/..")
SERIES=${SERIES:-6.12}
patches=$kp/$SERIES
tree=$top/build/linux-$SERIES
PATH=$PATH:/usr/sbin:/sbin

say() { printf 'kernel-patches: %s\n' "$*" >&2; }
die() {
	printf 'kernel-patches: error: %s\n' "$1" >&2
	exit "${2:-1}"
}

# A field of BASE.
base_field() { sed -n "s/^$1: *//p" "$patches/BASE"; }

need_tools() {
	"$top/scripts/setup.sh" --check --build "--$1" && return 0
	die "what is listed above is missing: run scripts/setup.sh --build --$1" 3
}

need_tree() {
	git -C "$tree" rev-parse -q --verify base >/dev/null 2>&1 ||
		die "no tree in $tree: run make kernel-tree, or kernel-patches/tree.sh --source TARBALL"
}

# The patches in the order of the series.
series_files() { sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$patches/series"; }

# The same words for the same source, wherever it is, so that ccache and the image see no difference
# in who built it, when and in which folder.
kmake() {
	local src=$1 obj=$2 arch=${ARCH:-x86_64} cross=''
	shift 2
	[ "$arch" != arm64 ] || cross=aarch64-linux-gnu-
	env CCACHE_BASEDIR="$top" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros CCACHE_DEPEND=1 \
		KBUILD_BUILD_USER=rqspin KBUILD_BUILD_HOST=rqspin KBUILD_BUILD_TIMESTAMP='1970-01-01' \
		make -s -C "$src" O="$obj" ARCH="$arch" CROSS_COMPILE="$cross" CC="ccache ${cross}gcc" \
		LOCALVERSION= -j"$(nproc)" "$@"
}
