#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run the test of the fallback lock here.
#   selftests/tool/fallback/run.sh [--preempt full|voluntary|none]   switch preemption first
set -euo pipefail
cd "$(dirname "$0")/../../.."

switch=/sys/kernel/debug/sched/preempt
if [ "${1:-}" = --preempt ]; then
	before=$(sed 's/.*(\(.*\)).*/\1/' "$switch")
	trap 'echo "$before" >"$switch"' EXIT
	echo "${2:?--preempt needs full, voluntary or none}" >"$switch"
	echo "# preemption: $(cat "$switch")"
fi
build/selftests/tool/fallback/fallback
