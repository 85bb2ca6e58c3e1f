// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Chooses the CPU that goes on: tries every choice (search), draws one (random), or follows the
 * path of a failure (replay).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mc.h"
#include "seen.h"

#define MAX_OPTIONS ((2 + MC_IRQS) * MC_CPUS + 4)
#define MAX_PATH    65536
#define DIGITS	    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

_Static_assert(MAX_OPTIONS < sizeof(DIGITS), "a choice is one digit of a path");

#define QUICK_ROUNDS 8
#define QUICK_STEP   (3 * MC_NS_PER_MS / 2)
#define MIDDLE_STEP  (60 * MC_NS_PER_MS)
#define LONG_STEP    (100 * MC_NS_PER_MS)
#define MAX_ROUNDS   40

static const uint64_t jump_ns[] = { 0, QUICK_STEP, MIDDLE_STEP, 600 * MC_NS_PER_MS };

struct branch {
	char *state;
	uint8_t n, next;
	struct mc_option opt[MAX_OPTIONS];
};

static struct branch *branches;
static uint32_t nbranches, max_branches;
static uint8_t path[MAX_PATH];

static bool can_go(const struct mc_cpu *cpu)
{
	return !cpu->done && (!cpu->blocked || cpu->woken);
}

static bool somebody_can_go(void)
{
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (can_go(&mc.cpu[i]))
			return true;
	}
	return false;
}

static bool cur_can_go(void)
{
	return mc.begun && can_go(mc_this());
}

static int go_options(struct mc_option *opt)
{
	bool cur_goes = cur_can_go();
	int i, n = 0;

	if (cur_goes)
		opt[n++] = (struct mc_option){ .cpu = mc.cur };
	if (cur_goes && (mc.preempted >= mc_cfg.preemptions || mc_this()->at.class != MC_SHARED))
		return n;
	for (i = 0; i < mc_cfg.ncpu; i++) {
		if ((i != mc.cur || !mc.begun) && can_go(&mc.cpu[i]))
			opt[n++] = (struct mc_option){ .cpu = i, .preempts = cur_goes };
	}
	return n;
}

/* A loop may turn once more without a reason. */
static int respin_options(struct mc_option *opt)
{
	int i, n = 0;

	if (!mc_cfg.respin || mc.preempted >= mc_cfg.preemptions)
		return 0;
	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (!mc.cpu[i].done && mc.cpu[i].blocked && !mc.cpu[i].woken && !mc.cpu[i].stall)
			opt[n++] = (struct mc_option){ .cpu = i, .preempts = true };
	}
	return n;
}

static bool cpu_takes(const struct mc_cpu *cpu, enum mc_order order)
{
	if (cpu->done || cpu->level + 1 >= MC_LEVELS || cpu->ctx[cpu->level].nmi)
		return false;
	if (mc_cfg.irq_off_cpus & 1U << (cpu - mc.cpu))
		return false;
	if (mc_cfg.irq_waits && !cpu->blocked)
		return false;
	if (order == MC_NMI)
		return mc.nmis < mc_cfg.nmis;
	return mc.irqs < mc_cfg.irqs && (!cpu->irqs_off || mc_cfg.traps);
}

static int interrupt_options(struct mc_option *opt)
{
	bool cur_goes = cur_can_go();
	int i, order, n = 0;

	if (mc.nmis >= mc_cfg.nmis && mc.irqs >= mc_cfg.irqs)
		return 0;
	for (i = 0; i < mc_cfg.ncpu; i++) {
		bool preempts = i != mc.cur && cur_goes;

		if (preempts && mc.preempted >= mc_cfg.preemptions)
			continue;
		for (order = MC_NMI; order < MC_IRQ + mc_cfg.nirq; order++) {
			if (cpu_takes(&mc.cpu[i], order))
				opt[n++] = (struct mc_option){ .cpu = i,
							       .order = order,
							       .preempts = preempts };
		}
	}
	return n;
}

static int jump_options(struct mc_option *opt)
{
	int i;

	if (!can_go(mc_this()) || mc_this()->at.op != MC_CLOCK || mc.jumps >= mc_cfg.jumps)
		return 0;
	for (i = 0; i < 3; i++)
		opt[i] = (struct mc_option){ .cpu = mc.cur, .jump = i + 1 };
	return 3;
}

bool mc_has_choice(const struct mc_at *at)
{
	if (!mc.begun || mc.irqs < mc_cfg.irqs || mc.nmis < mc_cfg.nmis)
		return true;
	if (mc.preempted < mc_cfg.preemptions && at->class == MC_SHARED)
		return true;
	return at->op == MC_CLOCK && mc.jumps < mc_cfg.jumps;
}

/* Returns the number of options; 0 if no CPU can go on. */
int mc_options(struct mc_option *opt)
{
	int n = go_options(opt);

	n += jump_options(opt + n);
	n += interrupt_options(opt + n);
	n += respin_options(opt + n);
	/* An interrupt may come before or after the time that passes. */
	if (n && !somebody_can_go())
		opt[n++] = (struct mc_option){ .waits = true };
	return n;
}

static void pass_time(uint64_t ns)
{
	mc.now += ns;
	if (ns >= 250 * MC_NS_PER_MS)
		mc.late = true;
	if (ns >= 50 * MC_NS_PER_MS)
		mc.very_late = true;
	mc_note(MC_NOTE_TIME, NULL, mc.now / 1000, 0);
}

static uint64_t idle_step(void)
{
	if (mc.idle < QUICK_ROUNDS)
		return QUICK_STEP;
	return mc.idle < 2 * QUICK_ROUNDS ? MIDDLE_STEP : LONG_STEP;
}

static bool somebody_stalls(void)
{
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (mc.cpu[i].stall > mc.now)
			return true;
	}
	return false;
}

/* All CPUs wait: time passes, and all look again. Returns false if no CPU is left. */
bool mc_idle(void)
{
	bool stall = somebody_stalls(), left = false;
	int i;

	if (!stall && mc.idle >= QUICK_ROUNDS) {
		mc_no_progress();
		return true;
	}
	if (mc.idle >= MAX_ROUNDS) {
		mc_blame("no end: time passes and nothing happens");
		return true;
	}
	pass_time(idle_step());
	mc.idle++;
	for (i = 0; i < mc_cfg.ncpu; i++) {
		struct mc_cpu *cpu = &mc.cpu[i];

		left |= !cpu->done;
		if (cpu->blocked && cpu->stall <= mc.now)
			cpu->woken = true;
	}
	return left;
}

void mc_take(const struct mc_option *opt)
{
	if (opt->waits) {
		mc_idle();
		return;
	}
	mc.preempted += opt->preempts;
	if (opt->jump) {
		mc.jumps++;
		pass_time(jump_ns[opt->jump]);
	}
	mc.irqs += opt->order >= MC_IRQ;
	mc.nmis += opt->order == MC_NMI;
	mc.cpu[opt->cpu].order = opt->order;
	mc.begun = true;
	mc_stats.steps++;
	mc_resume(opt->cpu);
}

static bool all_done(void)
{
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (!mc.cpu[i].done)
			return false;
	}
	return true;
}

/*
 * Goes on until there is a choice. Returns the number of options, or 0 at the end of the execution.
 */
static int run_to_choice(struct mc_option *opt)
{
	int n;

	while (!mc_failure) {
		if (all_done()) {
			mc_quiescent();
			break;
		}
		n = mc_options(opt);
		if (n > 1)
			return n;
		if (n)
			mc_take(opt);
		else
			mc_idle();
	}
	mc_stats.executions++;
	if (mc.steps > mc_stats.deepest)
		mc_stats.deepest = mc.steps;
	return 0;
}

static void search_choose(const struct mc_option *opt, int i)
{
	if (mc.path < MAX_PATH)
		path[mc.path] = i;
	mc.path++;
	mc_take(&opt[i]);
}

void mc_print_path(void)
{
	uint32_t i, n = mc.path < MAX_PATH ? mc.path : MAX_PATH;

	for (i = 0; i < n; i++)
		putchar(DIGITS[path[i]]);
	putchar('\n');
}

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void branch_push(const struct mc_option *opt, int n)
{
	struct branch *b;

	if (nbranches == max_branches) {
		max_branches = max_branches ? 2 * max_branches : 1024;
		branches = realloc(branches, max_branches * sizeof(*branches));
		if (!branches)
			abort();
	}
	b = &branches[nbranches++];
	b->state = malloc(mc_save_bound());
	if (!b->state)
		abort();
	mc_save(b->state);
	memcpy(b->opt, opt, n * sizeof(*opt));
	b->n = n;
	b->next = 1;
}

/* Takes the next option that was not tried; returns false if there is none. */
static bool search_backtrack(void)
{
	while (nbranches) {
		struct branch *b = &branches[nbranches - 1];
		int i = b->next++;

		mc_restore(b->state);
		if (b->next == b->n) {
			struct mc_option opt[MAX_OPTIONS];

			memcpy(opt, b->opt, sizeof(opt));
			free(b->state);
			nbranches--;
			search_choose(opt, i);
		} else {
			search_choose(b->opt, i);
		}
		return true;
	}
	return false;
}

/* Returns 1 if everything within the bounds was tried, 0 if not, -1 if a failure was found. */
int mc_search(double seconds, uint64_t max_states)
{
	struct mc_option opt[MAX_OPTIONS];
	double end = seconds_now() + seconds;
	int n;

	seen_init(max_states);
	mc_build();
	for (;;) {
		n = run_to_choice(opt);
		if (mc_failure)
			return -1;
		if (n && seen_add(mc_hash())) {
			mc_stats.states++;
			branch_push(opt, n);
			search_choose(opt, 0);
			continue;
		}
		if (!search_backtrack())
			return 1;
		if (!(mc_stats.steps & 1023) && (seconds_now() > end || seen_full()))
			return 0;
	}
}

static uint64_t rng_next(uint64_t *rng)
{
	*rng ^= *rng << 13;
	*rng ^= *rng >> 7;
	*rng ^= *rng << 17;
	return *rng >> 11;
}

/* Mostly goes on; else draws any option, but interrupts more rarely. */
static int option_draw(uint64_t *rng, const struct mc_option *opt, int n)
{
	bool goes = !opt[0].preempts && !opt[0].order && opt[0].cpu == mc.cur;

	int i;

	if (goes && rng_next(rng) % 8)
		return 0;
	i = rng_next(rng) % n;
	if (opt[i].order != MC_GO && rng_next(rng) % 8)
		i = rng_next(rng) % n;
	return i;
}

/* Execution number @k of a @seed depends on these two only. */
static uint64_t seed_of(uint64_t seed, uint64_t k)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + k * 0xbf58476d1ce4e5b9ULL + 1;

	x ^= x >> 31;
	return x ? x * 0x94d049bb133111ebULL | 1 : 1;
}

int mc_random(double seconds, uint64_t seed)
{
	struct mc_option opt[MAX_OPTIONS];
	double end = seconds_now() + seconds;
	uint64_t k, rng;
	int n;

	for (k = 0;; k++) {
		rng = seed_of(seed, k);
		mc_build();
		while ((n = run_to_choice(opt)))
			search_choose(opt, option_draw(&rng, opt, n));
		if (mc_failure)
			return -1;
		mc_words_write();
		if (!(k & 63) && seconds_now() > end)
			return 0;
	}
}

int mc_replay(const char *want)
{
	struct mc_option opt[MAX_OPTIONS];
	int n;

	mc_build();
	while ((n = run_to_choice(opt))) {
		const char *digit = *want ? strchr(DIGITS, *want++) : DIGITS;
		int i = digit ? digit - DIGITS : n;

		if (i >= n) {
			fprintf(stderr,
				"mc: the path does not fit this configuration: choice %u is one "
				"of %d\n",
				mc.path, n);
			return -2;
		}
		search_choose(opt, i);
	}
	return mc_failure ? -1 : 0;
}
