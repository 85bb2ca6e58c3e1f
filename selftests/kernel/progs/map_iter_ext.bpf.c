// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An extension of a program in map_iter.bpf.c that writes behind the end of the value. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

struct with_data {
	__u64 count;
};

SEC("freplace")
int far_writer(struct bpf_iter__bpf_map_elem *ctx __arg_ctx, struct with_data *map,
	       struct with_data *key, struct with_data *value)
{
	__u64 *element = ctx->value;

	if (element)
		element[1000] = 7;
	return 0;
}

char _license[] SEC("license") = "GPL";
