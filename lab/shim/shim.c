// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Per-CPU areas, initcalls and the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

#ifdef SHIM_SEG_GS
#include <asm/prctl.h>
#include <sys/syscall.h>

DEFINE_PER_CPU(unsigned long, shim_this_off);
DEFINE_PER_CPU(int, shim_cpu_number);
#else
/* The section must exist. */
static DEFINE_PER_CPU(long, shim_dummy) __attribute__((used));
#endif

extern char __start_shim_pcpu[], __stop_shim_pcpu[];
extern int (*const __start_shim_initcalls[])(void) __attribute__((weak));
extern int (*const __stop_shim_initcalls[])(void) __attribute__((weak));

unsigned long shim_offset[NR_CPUS];
unsigned int shim_nr_cpus;
void (*shim_on_failure)(const struct shim_failure *f);
void (*shim_on_end)(void);

struct res_waiter;
void res_write_note(struct res_waiter *w, u64 wait);

/* For reports to BPF programs: there are none here. */
void res_write_note(struct res_waiter *w, u64 wait)
{
	(void)w;
	(void)wait;
}

static char *area;
static size_t stride;

static void errno_die(const char *what)
{
	perror(what);
	exit(1);
}

/* Areas are apart by whole pages and two lines, so that equal fields do not share cache sets. */
static size_t area_stride(void)
{
	size_t size = __stop_shim_pcpu - __start_shim_pcpu;

	return ((size + 8191) & ~4095UL) + 2 * SMP_CACHE_BYTES;
}

static void make_areas(unsigned int nr)
{
	unsigned int cpu;

	stride = area_stride();
	area = mmap(NULL, nr * stride, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (area == MAP_FAILED)
		errno_die("shim: per-CPU areas");
	shim_nr_cpus = nr;
	for (cpu = 0; cpu < nr; cpu++) {
		memcpy(area + cpu * stride, __start_shim_pcpu,
		       __stop_shim_pcpu - __start_shim_pcpu);
		shim_offset[cpu] = (unsigned long)(area + cpu * stride - __start_shim_pcpu);
#ifdef SHIM_SEG_GS
		per_cpu(shim_this_off, cpu) = shim_offset[cpu];
		per_cpu(shim_cpu_number, cpu) = cpu;
#endif
	}
}

void *shim_area(size_t *size)
{
	*size = stride * shim_nr_cpus;
	return area;
}

#ifndef SHIM_EXTERN

SHIM_TLS bool shim_nmi;
SHIM_TLS bool shim_irqs_off;
SHIM_TLS bool shim_irq_due;
SHIM_TLS u32 shim_pauses;
SHIM_TLS u64 shim_last_ms;
void (*shim_on_ms)(u64 ms);
u32 shim_yield_every;
void (*shim_irq_deliver)(void);
u64 shim_clock_mult;
u64 shim_clock_base;

static u64 mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * (u64)NSEC_PER_SEC + ts.tv_nsec;
}

/* Compares the counter with the system's clock for 20 ms: exact to a few parts in a million. */
static void clock_calibrate(void)
{
	u64 t0 = mono_ns(), c0 = shim_cycles(), t1, c1;

	do {
		t1 = mono_ns();
		c1 = shim_cycles();
	} while (t1 - t0 < 20 * NSEC_PER_MSEC);
	shim_clock_mult = ((unsigned __int128)(t1 - t0) << SHIM_CLOCK_SHIFT) / (c1 - c0);
	shim_clock_base = c0;
}

#ifdef SHIM_SEG_GS
void shim_set_cpu(int cpu)
{
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, shim_offset[cpu]))
		errno_die("shim: arch_prctl");
}
#else
static SHIM_TLS int this_cpu;

void shim_set_cpu(int cpu)
{
	this_cpu = cpu;
}

int shim_cpu(void)
{
	return this_cpu;
}
#endif

#endif /* SHIM_EXTERN */

void shim_init(unsigned int nr)
{
	int (*const *call)(void);

	if (!nr || nr > NR_CPUS) {
		fprintf(stderr, "shim: %u CPUs: 1 to %d\n", nr, NR_CPUS);
		exit(2);
	}
	make_areas(nr);
#ifndef SHIM_EXTERN
	clock_calibrate();
	shim_set_cpu(0);
#endif
	for (call = __start_shim_initcalls; call != __stop_shim_initcalls; call++) {
		if ((*call)())
			errno_die("shim: initcall");
	}
}
