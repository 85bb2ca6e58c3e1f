#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a kernel is met with that we only look at, in one boot: all tests of its locks, what the
# verifier makes of random programs, and whether the command loads, sees and names failures.
set -u
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
bad=0
build/selftests/test_rqspin --time-scale 4 || bad=1
build/selftests/kernel/rules/rules --seconds 10 || bad=1
.venv/bin/pytest -v -p no:cacheprovider \
	selftests/tool/cli/test_exact.py selftests/tool/cli/test_owner.py \
	-k "abba_exact or other_task" || bad=1
exit $bad
