// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * deadlines WAITERS APART_MS HOLD_MS: waiters come one after the other, APART_MS apart; each owner
 * holds the lock for HOLD_MS. One line of JSON: the duration and the result of each wait. Needs two
 * CPUs more than waiters.
 */
#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <bpf/bpf.h>

#include "deadlines.h"
#include "pinned.h"
#include "selftests/kernel/bench/deadlines.skel.h"

#define NS_PER_MS 1000000ULL

struct party {
	pthread_t thread;
	int id, fd;
};

static struct party parties[DEADLINES_CPUS];
static volatile unsigned int called; /* parties with a lower number may begin */
static unsigned int done;
static __u64 taken[DEADLINES_CPUS + 1]; /* when the driver saw a turn begin, ns */

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void *party_main(void *arg)
{
	struct party *p = arg;

	pin_to(p->id);
	while (called <= (unsigned int)p->id)
		pause_a_while();
	test_run(p->fd, 1);
	__atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void parties_start(unsigned int nr, int fd)
{
	for (unsigned int i = 0; i < nr; i++) {
		parties[i].id = i;
		parties[i].fd = fd;
		if (pthread_create(&parties[i].thread, NULL, party_main, &parties[i]))
			errx(2, "no thread");
	}
	pin_to(nr);
}

/* Call the next party @apart ns after the one before has begun its acquisition. */
static void call_next(const struct deadlines_bpf *skel, unsigned int nr, __u64 apart)
{
	__u64 last = called ? *(volatile __u64 *)&skel->bss->waits[called - 1].begin : 0;

	if (called < nr && (!called || (last && now_ns() - last >= apart)))
		called++;
}

static void turns_direct(struct deadlines_bpf *skel, unsigned int nr, __u64 apart, __u64 hold)
{
	__u64 seen = 0;

	while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < nr) {
		__u64 turn = *(volatile __u64 *)&skel->bss->turns;

		if (turn > seen)
			taken[seen = turn] = now_ns();
		if (seen > skel->bss->released && now_ns() - taken[seen] >= hold)
			skel->bss->released = seen;
		call_next(skel, nr, apart);
		pause_a_while();
	}
}

static void waits_print(const struct deadlines_bpf *skel, unsigned int nr)
{
	printf("{\"waits\": [");
	for (unsigned int i = 1; i < nr; i++) {
		const struct deadlines_wait *w = &skel->bss->waits[i];
		__u64 end = w->ret ? w->end : taken[w->turn];

		printf("%s{\"cpu\": %u, \"ret\": %lld, \"turn\": %llu, \"ns\": %llu}",
		       i > 1 ? ", " : "", i, (long long)w->ret, (unsigned long long)w->turn,
		       (unsigned long long)(end - w->begin));
	}
	printf("]}\n");
}

int main(int argc, char **argv)
{
	struct deadlines_bpf *skel;
	unsigned int nr;

	if (argc != 4)
		errx(2, "usage: deadlines WAITERS APART_MS HOLD_MS");
	nr = count_arg(argv[1]) + 1;
	if (nr > DEADLINES_CPUS - 1)
		errx(2, "%s waiters", argv[1]);
	skel = deadlines_bpf__open_and_load();
	if (!skel)
		err(2, "cannot load deadlines.bpf.o");
	parties_start(nr, bpf_program__fd(skel->progs.take));
	turns_direct(skel, nr, count_arg(argv[2]) * NS_PER_MS, count_arg(argv[3]) * NS_PER_MS);
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(parties[i].thread, NULL);
	waits_print(skel, nr);
	deadlines_bpf__destroy(skel);
	return 0;
}
