/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Elements with a lock and a timer. */
#ifndef TIMED_BPF_H
#define TIMED_BPF_H

#include "check.bpf.h"

struct timed {
	struct bpf_timer timer;
	struct bpf_res_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

static __always_inline __attribute__((unused)) int
start_timer(struct timed *timed, int (*callback)(void *, int *, struct timed *))
{
	bpf_timer_init(&timed->timer, &timers, 1);
	bpf_timer_set_callback(&timed->timer, callback);
	return bpf_timer_start(&timed->timer, 1000, 0);
}

#endif
