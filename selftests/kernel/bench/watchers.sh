#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a guest: updates of maps while nobody, or one of the tool's watchers, is there. JSON lines of
# `maps`, each with its watcher.
#   selftests/kernel/bench/watchers.sh ROUNDS BATCHES
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../../.."

rqspin=build/rqspin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkfifo "$tmp/messages"

# Updates maps while a command runs in the background. $1 is what it says when it has begun.
while_watched() {
	local ready=$1 line='' pid
	shift
	"$rqspin" "$@" >"$tmp/out" 2>"$tmp/messages" & pid=$!
	exec 3<"$tmp/messages"
	until [[ $line == *"$ready"* ]]; do read -r line <&3; done
	maps_update
	kill -INT $pid
	wait $pid
	exec 3<&-
}

while_recorded() {
	"$rqspin" record "$@"
	maps_update
	"$rqspin" record --stop
}

maps_update() { build/selftests/kernel/bench/maps 1 "$rounds" "$batches"; }

# All that trace would use here, except what runs in every operation of a map.
sources_lean() {
	"$rqspin" doctor --json |
		jq -r '[.trace_sources[] | select(.usable) | .name] - ["mapops"] | join(",")'
}

watcher_run() {
	case $1 in
	nobody) maps_update ;;
	"stat --waits") while_watched "counting waits" stat --waits ;;
	"trace without mapops") while_watched "tracing failed" trace --source="$lean" ;;
	trace) while_watched "tracing failed" trace ;;
	"export --waits") while_watched metrics: export --waits --textfile "$tmp/metrics.prom" ;;
	record) while_recorded ;;
	"record waits") while_recorded --wait-longer-than 1ms ;;
	esac
}

rounds=$1 batches=$2
lean=$(sources_lean)
for watcher in nobody "stat --waits" "trace without mapops" trace "export --waits" record \
	"record waits"; do
	watcher_run "$watcher" >"$tmp/lines"
	grep '^{' "$tmp/lines" | jq -c --arg w "$watcher" '. + {watcher: $w}'
done
