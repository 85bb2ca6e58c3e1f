// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* finds: cycle. What is called for each message of a user ring changes a key of its caller. */
#include "stack.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_USER_RINGBUF);
	__uint(max_entries, 4096);
} messages SEC(".maps");

static long read_message(struct bpf_dynptr *message, void *arg)
{
	__u32 *key = arg;

	*key = 1;
	return 0;
}

SEC("tc")
int one_way(struct __sk_buff *ctx)
{
	__u32 key = 0;

	bpf_user_ringbuf_drain(&messages, read_message, &key, 0);
	return under_table(bpf_map_lookup_elem(&users, &key));
}

OTHER_WAY(1)
