// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A waiter that an NMI interrupts, and a contended acquisition that succeeds. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include <kernel/bpf/rqspinlock.h>

#include "../../threads/lib/team.h"
#include "regress.h"

#define AT_ONCE_NS (100 * NSEC_PER_MSEC)

struct scene {
	const struct lab_ops *ops;
	struct lab_barrier barrier;
	union lab_lock a, b, c;
	pthread_t waiter;
	u32 nmi_done;
	bool ok;
};

static struct scene scene;

static void wait_for_wait(int cpu)
{
	while (!res_wait_live(READ_ONCE(per_cpu_ptr(&res_cpu, cpu)->wait[0].seq)))
		lab_poll();
}

static bool nmi_body(void)
{
	const struct lab_ops *ops = scene.ops;
	u64 start = shim_clock();
	bool ok;

	ok = EXPECT(ops->lock(&scene.c, NULL) == -EDEADLK) &&
	     EXPECT(last_kind == RES_KIND_NESTED) &&
	     EXPECT(ops->lock(&scene.a, NULL) == -EDEADLK) && EXPECT(!ops->lock(&scene.b, NULL));
	if (ok)
		ops->unlock(&scene.b, NULL);
	return EXPECT(shim_clock() - start < AT_ONCE_NS) && ok;
}

static void on_nmi(int sig)
{
	(void)sig;
	shim_nmi = true;
	scene.ok = nmi_body();
	shim_nmi = false;
	lab_add_u32(&scene.nmi_done);
}

static void nmi_scene(int cpu, void *arg)
{
	const struct lab_ops *ops = scene.ops;

	(void)arg;
	if (cpu) {
		scene.waiter = pthread_self();
	} else {
		EXPECT(!ops->lock(&scene.a, NULL));
		EXPECT(!ops->lock(&scene.c, NULL));
	}
	lab_meet(&scene.barrier);
	if (cpu) {
		scene.ok = EXPECT(!ops->lock(&scene.a, NULL)) && scene.ok;
		ops->unlock(&scene.a, NULL);
		return;
	}
	wait_for_wait(1);
	pthread_kill(scene.waiter, SIGUSR1);
	lab_wait_u32(&scene.nmi_done, 1);
	ops->unlock(&scene.c, NULL);
	ops->unlock(&scene.a, NULL);
}

static void set_scene(const struct lab_ops *ops, int threads)
{
	memset(&scene, 0, sizeof(scene));
	scene.ops = ops;
	scene.barrier.n = threads;
}

static void on_nmi_alone(int sig)
{
	const struct lab_ops *ops = scene.ops;

	(void)sig;
	shim_nmi = true;
	scene.ok = EXPECT(!ops->lock(&scene.a, NULL));
	if (scene.ok)
		ops->unlock(&scene.a, NULL);
	shim_nmi = false;
	lab_add_u32(&scene.nmi_done);
}

static void nmi_alone_scene(int cpu, void *arg)
{
	const struct lab_ops *ops = scene.ops;
	struct res_wait *rec = &per_cpu_ptr(&res_cpu, 1)->wait[0];

	(void)arg;
	if (cpu)
		scene.waiter = pthread_self();
	else
		EXPECT(!ops->lock(&scene.a, NULL));
	lab_meet(&scene.barrier);
	if (cpu) {
		lab_wait_u32(&scene.nmi_done, 1);
		return;
	}
	pthread_kill(scene.waiter, SIGUSR1);
	while (!res_wait_live(READ_ONCE(rec->seq)) && !READ_ONCE(scene.nmi_done))
		lab_poll();
	ops->unlock(&scene.a, NULL);
}

static bool nmi_play(const struct lab_ops *ops, void (*handler)(int sig),
		     void (*play)(int cpu, void *arg))
{
	struct sigaction sa = { .sa_handler = handler }, old;

	set_scene(ops, 2);
	sigaction(SIGUSR1, &sa, &old);
	lab_team(2, play, NULL);
	sigaction(SIGUSR1, &old, NULL);
	return scene.ok && EXPECT(res_is_free(scene.a.word)) && EXPECT(res_is_free(scene.b.word)) &&
	       EXPECT(res_is_free(scene.c.word));
}

/* An NMI on top of a wait acquires free locks and fails at once on others. */
bool nmi_trylock(const struct lab_ops *ops)
{
	return nmi_play(ops, on_nmi, nmi_scene);
}

/* An NMI on a CPU that does not wait may wait itself. */
bool nmi_alone_waits(const struct lab_ops *ops)
{
	return nmi_play(ops, on_nmi_alone, nmi_alone_scene);
}

static u32 held_entries(const struct res_cpu *rc)
{
	u32 i, n = 0;

	for (i = 0; i < RES_NR_HELD; i++)
		n += rc->held[i] != 0;
	return n;
}

static void entry_scene(int cpu, void *arg)
{
	const struct lab_ops *ops = scene.ops;
	struct res_cpu *rc = this_cpu_ptr(&res_cpu);
	u32 want = cpu >= (int)RES_TAG_LIMIT;

	(void)arg;
	if (!cpu)
		EXPECT(!ops->lock(&scene.a, NULL));
	lab_meet(&scene.barrier);
	if (!cpu) {
		wait_for_wait(1);
		ops->unlock(&scene.a, NULL);
		return;
	}
	scene.ok = EXPECT(!ops->lock(&scene.a, NULL)) && EXPECT(held_entries(rc) == want) &&
		   EXPECT(rc->nheld == want);
	ops->unlock(&scene.a, NULL);
	scene.ok = scene.ok && EXPECT(!held_entries(rc)) && EXPECT(!rc->nheld) &&
		   EXPECT(!ops->lock(&scene.a, NULL));
	if (scene.ok)
		ops->unlock(&scene.a, NULL);
}

/* A contended acquisition has one table entry, so that the next acquisition is no false AA. */
bool tas_single_entry(const struct lab_ops *ops)
{
	set_scene(ops, 2);
	lab_team(2, entry_scene, NULL);
	return scene.ok && EXPECT(res_is_free(scene.a.word));
}
