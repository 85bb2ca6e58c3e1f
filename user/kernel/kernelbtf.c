// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <bpf/btf.h>

#include "kernel/kernelbtf.h"

const struct btf *kernelbtf_get(void)
{
	static const struct btf *btf;

	if (!btf)
		btf = btf__load_vmlinux_btf();
	return btf;
}
