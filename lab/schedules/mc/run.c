// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CPUs as coroutines: each stops before an access, until the scheduler resumes it. */
#include <string.h>

#include "mc.h"

#define STACK_SIZE 16384
#define MAX_STEPS  40000

struct mc_world mc;
struct mc_config mc_cfg;
struct mc_stats mc_stats;
const char *mc_failure;
bool mc_running;

static char stacks[MC_CPUS][STACK_SIZE] __attribute__((aligned(64)));
static void *scheduler_sp;

#ifndef __x86_64__
#error "the switch of stacks is written for x86-64"
#endif

/* Switches the stack and the callee-saved registers. */
__attribute__((naked, noinline)) static void switch_stack(void **from __attribute__((unused)),
							  void *to __attribute__((unused)))
{
	__asm__("push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
		"mov %rsp, (%rdi)\n"
		"mov %rsi, %rsp\n"
		"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
		"ret");
}

char *mc_stack_top(int cpu)
{
	return stacks[cpu] + STACK_SIZE;
}

/* Runs the scheduler until it resumes this CPU. */
static void cpu_park(void)
{
	switch_stack(&mc_this()->sp, scheduler_sp);
}

void mc_resume(int cpu)
{
	mc.cur = cpu;
	switch_stack(&scheduler_sp, mc.cpu[cpu].sp);
	mc_observe();
}

void mc_blame(const char *why)
{
	if (!mc_failure)
		mc_failure = why;
}

void mc_fail(const char *why)
{
	mc_blame(why);
	cpu_park();
	__builtin_unreachable();
}

static void cpu_main(void)
{
	mc_run_script(mc_cfg.task[mc.cur]);
	mc_observe();
	mc_this()->done = true;
	cpu_park();
	__builtin_unreachable();
}

static void build_cpu(int cpu)
{
	void **sp = (void **)mc_stack_top(cpu);
	int i;

	memset(stacks[cpu], 0, STACK_SIZE);
	*--sp = NULL;
	*--sp = (void *)cpu_main;
	for (i = 0; i < 6; i++)
		*--sp = NULL;
	mc.cpu[cpu].sp = sp;
	for (i = 0; i < MC_LEVELS; i++) {
		mc.cpu[cpu].ctx[i].attempt = -1;
		mc.cpu[cpu].ctx[i].releasing = -1;
	}
}

/* The state in which every CPU is before its first step. */
void mc_build(void)
{
	int cpu;

	mc_running = false;
	mc_failure = NULL;
	memset(&mc, 0, sizeof(mc));
	mc.now = MC_NS_PER_MS;
	mc_lock_reset();
	mc_oracle_reset();
	for (cpu = 0; cpu < mc_cfg.ncpu; cpu++)
		build_cpu(cpu);
	mc_running = true;
	for (cpu = 0; cpu < mc_cfg.ncpu; cpu++)
		mc_resume(cpu);
	mc.cur = 0;
}

/* A CPU that accessed one of these words since its last pause has reason to look again. */
static void wake_watchers(uint64_t bit)
{
	int i;

	for (i = 0; i < mc_cfg.ncpu; i++) {
		if (i != mc.cur && mc.cpu[i].watch & bit)
			mc.cpu[i].woken = true;
	}
}

static uint64_t watch_bit(const volatile void *addr)
{
	uint32_t key = 0;

	mc_classify(addr, &key);
	return 1ULL << (key * 0x9e3779b1U >> 26);
}

void mc_wrote(const volatile void *addr)
{
	if (mc_running)
		wake_watchers(watch_bit(addr));
}

static void cpu_interrupt(enum mc_order order)
{
	struct mc_cpu *cpu = mc_this();
	struct mc_ctx *ctx;

	cpu->level++;
	cpu->relaxed = false;
	cpu->blocked = false;
	ctx = mc_ctx();
	memset(ctx, 0, sizeof(*ctx));
	ctx->attempt = -1;
	ctx->releasing = -1;
	ctx->nmi = order == MC_NMI;
	mc_note(MC_NOTE_ENTER, NULL, ctx->nmi, 0);
	mc_waits_changed();
	mc_run_script(ctx->nmi ? mc_cfg.nmi : mc_cfg.irq[order - MC_IRQ]);
	mc_observe();
	mc_note(MC_NOTE_LEAVE, NULL, 0, 0);
	memset(ctx, 0, sizeof(*ctx));
	cpu->level--;
	mc.idle = 0;
	mc_waits_changed();
	/* The interrupted loop looks once more: it may have missed a change. */
	cpu->relaxed = false;
	cpu->blocked = false;
}

/*
 * Is an attempt interrupted? It may be that of the victim, and others do not wait for it to leave.
 */
static bool interrupted_attempt(const struct mc_cpu *cpu)
{
	int level;

	for (level = 0; level < cpu->level; level++) {
		if (cpu->ctx[level].attempt >= 0)
			return true;
	}
	return false;
}

/* Stop before an access, until the scheduler wants it made. */
static void cpu_stop(const struct mc_at *at)
{
	struct mc_cpu *cpu = mc_this();
	enum mc_order order;

	if (cpu->relaxed && at->class == MC_SHARED) {
		mc.very_late |= interrupted_attempt(cpu);
		cpu->blocked = true;
		cpu->relaxed = false;
	}
	while (cpu->blocked || mc_has_choice(at)) {
		cpu->at = *at;
		cpu_park();
		order = cpu->order;
		if (order == MC_GO)
			break;
		cpu->order = MC_GO;
		cpu_interrupt(order);
	}
	if (cpu->blocked) {
		cpu->blocked = false;
		cpu->woken = false;
		cpu->watch = 0;
		/* This CPU may pass headship now, without a write to a lock word. */
		mc_waits_changed();
	}
	if (++mc.steps > MAX_STEPS)
		mc_fail("no end: too many steps");
}

void mc_access(const volatile void *addr, enum mc_op op, void *pc)
{
	struct mc_at at = { .addr = addr, .pc = pc, .op = op };
	uint64_t bit;

	if (!mc_running)
		return;
	mc_reach(pc);
	at.class = mc_classify(addr, &(uint32_t){ 0 });
	if (at.class == MC_ALIEN)
		return;
	mc_observe();
	cpu_stop(&at);
	mc_note(MC_NOTE_ACCESS, &at, 0, 0);
	bit = watch_bit(addr);
	mc_this()->watch |= bit;
	if (op == MC_WRITE)
		wake_watchers(bit);
}

void mc_point(void)
{
	struct mc_at at = { .op = MC_POINT, .class = MC_SHARED };

	mc_observe();
	cpu_stop(&at);
}

/* The clock is read: time may jump here. */
void mc_clock(void)
{
	struct mc_at at = { .op = MC_CLOCK, .class = MC_PRIVATE };

	if (!mc_running || mc.jumps >= mc_cfg.jumps)
		return;
	mc_observe();
	cpu_stop(&at);
}

void mc_stall(uint64_t ns)
{
	struct mc_at at = { .op = MC_POINT, .class = MC_SHARED };
	struct mc_cpu *cpu = mc_this();

	mc_observe();
	cpu->stall = mc.now + ns;
	cpu->stalled += ns;
	mc.late |= cpu->stalled >= 200 * MC_NS_PER_MS; /* the clock goes in large steps */
	mc.very_late |= cpu->stalled >= 50 * MC_NS_PER_MS;
	mc_note(MC_NOTE_STALL, NULL, ns / MC_NS_PER_MS, 0);
	while (mc.now < cpu->stall) {
		cpu->watch = 0;
		cpu->relaxed = true;
		cpu_stop(&at);
	}
	cpu->stall = 0;
	mc.idle = 0;
}
