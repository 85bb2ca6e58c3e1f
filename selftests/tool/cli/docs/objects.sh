#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Compile programs that documents name, here, as a reader has them: objects.sh NAME...
set -euo pipefail

cp "$(dirname "$0")"/*.bpf.[ch] .
for name; do
	clang-19 -g -O2 -target bpf -mcpu=v3 "-I$TOP/include" "-I$BUILD" -c "$name.bpf.c"
done
