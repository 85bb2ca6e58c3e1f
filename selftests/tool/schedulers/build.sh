#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Schedulers of Linux' own source as commands, for test_schedulers.py: scx_qmap, scx_flatcg, and
# scx_two_orders, which is scx_qmap with a mistake (two_orders.py).
#   selftests/tool/schedulers/build.sh FOLDER
# Source and types are those that linux.sh keeps in FOLDER/linux. A test in TAP, which is skipped if
# they cannot be had.
set -euo pipefail
cd "$(dirname "$0")/../../.."

to=$(readlink -f "${1:?usage: build.sh FOLDER}")
linux=$to/linux tools=$to/linux/tools/sched_ext
bpftool=${BPFTOOL:-bpftool}
# shellcheck source=selftests/tool/check/linux-flags.sh
. selftests/tool/check/linux-flags.sh

# scheduler_build NAME OBJECT C: a command whose program is OBJECT. The C includes a skeleton of a
# fixed name.
scheduler_build() {
	local name=$1 object=$2 source=$3 part=$to/parts/$1
	mkdir -p "$part"
	cp "$object" "$to/$name.bpf.o"
	"$bpftool" gen object "$part/linked.bpf.o" "$object"
	"$bpftool" gen skeleton "$part/linked.bpf.o" name "$(basename "$source" .c)" \
		>"$part/$(basename "$source" .c).bpf.skel.h"
	gcc -O2 -g -w -I"$part" -Ibuild/libbpf/include -I"$tools/include" -I"$tools" \
		-o "$to/$name" "$source" build/libbpf/libbpf.a -lelf -lz
}

rc=0
said=$(selftests/tool/check/linux.sh "$to" 2>&1) || rc=$?
if [ $rc = 3 ]; then
	echo "ok 1 - Linux' schedulers # SKIP ${said##*$'\n'}"
	exit 0
elif [ $rc != 0 ]; then
	printf '%s\n' "$said" >&2
	exit $rc
fi
clang=$(scripts/find-clang.sh clang)
mkdir -p "$to/parts"
selftests/tool/schedulers/two_orders.py "$tools/scx_qmap.bpf.c" "$to/parts/two_orders.bpf.c"
"$clang" "${linux_flags[@]}" -ffile-prefix-map="$to/parts/"= -I"$tools" \
	-I"$tools/include" -I"$tools/include/bpf-compat" -I"$linux" -Ibuild/libbpf/include \
	-c "$to/parts/two_orders.bpf.c" -o "$to/parts/two_orders.bpf.o"
scheduler_build scx_qmap "$to/objects/linux-scx_qmap.bpf.o" "$tools/scx_qmap.c"
scheduler_build scx_flatcg "$to/objects/linux-scx_flatcg.bpf.o" "$tools/scx_flatcg.c"
scheduler_build scx_two_orders "$to/parts/two_orders.bpf.o" "$tools/scx_qmap.c"
rm -rf "$to/parts"
echo "ok 1 - Linux' schedulers scx_qmap and scx_flatcg, and scx_two_orders, are in $to"
