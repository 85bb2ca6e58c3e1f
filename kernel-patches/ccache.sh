#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# ccache.sh COMPILER ARGUMENT...: ccache for all but assembler. With CCACHE_DEPEND ccache does not
# see which file an object includes by .incbin: an image would have an older kernel that happens to
# be as long, and the vDSO of another one.
for arg in "$@"; do
	case $arg in
	*.S) exec "$@" ;;
	esac
done
exec ccache "$@"
