#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Unit tests and tests of the command on a build with sanitizers. What they find ends the command
# with code 99, which no test expects; leaks are not looked for, as a verb ends with its process.
set -euo pipefail
cd "$(dirname "$0")/.."
export O=build/sanitize
export ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1:exitcode=99
make -s SANITIZE=1 O=$O bpf user $O/selftests/progs/{long_keys,timeout}.bpf.o
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if make -s SANITIZE=1 O=$O unit >"$log" 2>&1; then
	echo "ok - unit tests ($(tail -n 1 "$log"))"
else
	sed 's/^/# /' "$log" | tail -n 60
	echo "not ok - unit tests"
fi
.venv/bin/pytest -v -p no:cacheprovider \
	selftests/cli/test_{bad_input,escapes,output,signals,held_stat}.py
