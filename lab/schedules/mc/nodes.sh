#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# nodes.sh TREE DEST N: in the files that prepare.sh has linked below DEST, a CPU has N nodes.
set -euo pipefail

header=kernel/bpf/rqspinlock.h
line='^#define RES_NR_NODES.*'
grep -q "$line" "$1/$header" || {
	echo "nodes: no RES_NR_NODES in $1/$header any more" >&2
	exit 2
}
rm -f "$2/$header"
sed "s/$line/#define RES_NR_NODES $3/" "$1/$header" >"$2/$header"
