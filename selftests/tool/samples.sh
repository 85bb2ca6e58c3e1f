#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Load every sample with plain bpftool, run it, compare with bpf/progs/expected.tsv. TAP.
# usage: selftests/tool/samples.sh [SAMPLE...]
set -euo pipefail

cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] || {
	echo "samples: loading BPF programs needs root" >&2
	exit 1
}
if ! mountpoint -q /sys/fs/bpf; then
	mount -t bpf bpf /sys/fs/bpf
	trap 'umount /sys/fs/bpf' EXIT
fi
python3 selftests/tool/samples.py "$@"
