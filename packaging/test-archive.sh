#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Is the source archive complete? Unpacks what `make dist` makes, without git's data, and passes
# `make test` there. Takes as long as that does, so it is no part of the daily tests.
#   scripts/fresh-root.sh bookworm packaging/test-archive.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packaging/check.sh
. packaging/check.sh

own_root
install_packages xz-utils
make dist
cp build/dist/*.tar.xz /tmp/first.tar.xz
rm -r build/dist
make dist
cmp /tmp/first.tar.xz build/dist/*.tar.xz
tar -C /root -xf /tmp/first.tar.xz
cd /root/rqspin-*/
make test
