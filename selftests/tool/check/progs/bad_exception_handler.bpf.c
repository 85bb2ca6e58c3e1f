// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. What an exception leads to takes the locks in the other order. */
#include "maps.bpf.h"

extern void bpf_throw(__u64 cookie) __ksym;

__attribute__((noinline)) int handler(__u64 cookie)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	return a && b ? take_both(&b->lock, &a->lock) : 0;
}

SEC("tc")
__attribute__((btf_decl_tag("exception_callback:handler"))) int throws(struct __sk_buff *ctx)
{
	struct elem *a = elem_of(&flows, 1), *b = elem_of(&users, 1);

	if (ctx->len > 100)
		bpf_throw(1);
	return a && b ? take_both(&a->lock, &b->lock) : 0;
}
