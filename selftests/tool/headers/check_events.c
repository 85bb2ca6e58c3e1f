// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/types.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../fallback/drive.h"
#include "../fallback/tap.h"
#include "base/clock.h"
#include "check_events.h"
#include "kernel/heldtab.h"
#include "rqspin/event.h"

#define RUNS 7

struct expected {
	__u64 lock_addr[2];
	__u32 fail_line;
	char comm[RQSPIN_EVENT_NAME];
	__u64 from_ns, to_ns;
};

static int read_expected(const struct bpf_object *obj, struct expected *want)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, ".bss");
	__u32 zero = 0;
	char value[64];
	FILE *comm;

	if (!map || bpf_map__value_size(map) > sizeof(value) ||
	    bpf_map_lookup_elem(bpf_map__fd(map), &zero, value))
		return -1;
	memcpy(want, value, sizeof(want->lock_addr) + sizeof(want->fail_line));
	comm = fopen("/proc/self/comm", "r");
	if (!comm)
		return -1;
	if (!fgets(want->comm, sizeof(want->comm), comm))
		want->comm[0] = 0;
	fclose(comm);
	want->comm[strcspn(want->comm, "\n")] = 0;
	return 0;
}

static void check_event(const struct rqspin_event *ev, const struct expected *want, bool table)
{
	tap_result(ev->lock == want->lock_addr[1] && ev->err == -35, "event: lock and errno");
	tap_result(!strcmp(ev->file, "events.bpf.c") && ev->line == want->fail_line,
		   "event: the lock call, at %.32s:%u", ev->file, ev->line);
	tap_result(!strcmp(ev->prog, "events_with_a_l"), "event: program %.16s", ev->prog);
	tap_result(!strcmp(ev->comm, want->comm) && ev->pid == (__u32)getpid() &&
			   ev->tid == (__u32)gettid(),
		   "event: task %.16s", ev->comm);
	tap_result(ev->ts_ns > want->from_ns && ev->ts_ns < want->to_ns && ev->wait_ns == ~0ULL,
		   "event: time within the runs, wait unknown");
	if (table)
		tap_result(ev->kind == RQSPIN_AA && ev->parties == 1 &&
				   ev->owner_cpu == (__s32)ev->cpu && ev->nr_held == 2 &&
				   ev->held[0] == want->lock_addr[0] &&
				   ev->held[1] == want->lock_addr[1],
			   "event: AA, both held locks in order (%u held)", ev->nr_held);
	else
		tap_result(ev->kind == RQSPIN_UNKNOWN && ev->parties == 0 && ev->owner_cpu == -1 &&
				   ev->nr_held == RQSPIN_HELD_UNKNOWN,
			   "event: without the table of held locks the kind stays unknown");
}

static bool sequence_right(const struct rqspin_ring *ring, __u64 count)
{
	for (__u64 i = 0; i < count; i++)
		if (ring->slots[i].seq != i + 1)
			return false;
	return ring->head == count;
}

void check_events(const struct bpf_object *obj, int prog_fd)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, ".bss.rqspin");
	struct expected want;
	struct rqspin_ring *ring;
	int got;

	if (!tap_result(map != NULL, "event: ring is a map"))
		return;
	ring = mmap(NULL, sizeof(*ring), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (!tap_result(ring != MAP_FAILED, "event: ring can be mapped"))
		return;
	want.from_ns = now_ns();
	got = run_packets(prog_fd, RUNS);
	want.to_ns = now_ns();
	tap_result(got == 0 && sequence_right(ring, RUNS),
		   "event: %d failures, %llu events in sequence", RUNS, ring->head);
	if (tap_result(!read_expected(obj, &want), "event: program's own record found"))
		check_event(&ring->slots[RUNS - 1], &want, false);
	if (!heldtab_delta()) {
		tap_skip("event: AA", "this kernel's BTF does not tell where the held table is");
		goto unmap;
	}
	heldtab_arm_object((struct bpf_object *)obj);
	got = run_packets(prog_fd, RUNS);
	want.to_ns = now_ns();
	if (tap_result(got == 0 && sequence_right(ring, 2 * RUNS),
		       "event: again, with the table known"))
		check_event(&ring->slots[2 * RUNS - 1], &want, true);
unmap:
	munmap(ring, sizeof(*ring));
}
