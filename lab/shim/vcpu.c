// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads stand for virtual CPUs: the system does for them what a hypervisor does. */
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <asm/rqspinlock.h>

#include "paravirt.h"

bool shim_hybrid;

/* The tick of a CPU with HZ=250, which ends a halt. */
#define TICK_NS (4 * NSEC_PER_MSEC)

/* A thousandth of the shortest time limit. */
#define STEAL_OLD_NS (RES_DEF_TIMEOUT / 1000)

static DEFINE_PER_CPU_ALIGNED(u32, shim_kicks);

void shim_halt(const u8 *byte, u8 val)
{
	static const struct timespec tick = { .tv_nsec = TICK_NS };
	u32 *kicks = this_cpu_ptr(&shim_kicks);
	u32 seen = smp_load_acquire(kicks);

	/* A kick after @seen was read changes *kicks, and then the system call does not sleep. */
	if (READ_ONCE(*byte) == val)
		syscall(SYS_futex, kicks, FUTEX_WAIT_PRIVATE, seen, &tick, NULL, 0);
}

void res_halt(u8 *halted)
{
	shim_halt(halted, true);
}

void shim_kick(int cpu)
{
	u32 *kicks = per_cpu_ptr(&shim_kicks, cpu);

	__atomic_add_fetch(kicks, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, kicks, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void res_kick(int cpu)
{
	shim_kick(cpu);
}

/* Time for which this thread was runnable but not running, ns: the second figure of the file. */
static u64 steal_read(void)
{
	static SHIM_TLS int fd;
	char text[64], *end;
	ssize_t n;

	if (!fd)
		fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	n = fd > 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;
	if (n <= 0) {
		perror("shim: /proc/thread-self/schedstat");
		exit(1);
	}
	text[n] = '\0';
	strtoull(text, &end, 10);
	return strtoull(end, NULL, 10);
}

/*
 * A hypervisor writes the figure into the virtual CPU's memory, where reading it costs nothing.
 * Here a read is a system call that takes longer than most waits, so the figure may be STEAL_OLD_NS
 * old. Errors do not add up: a thread that lost its CPU for longer than that reads it anew.
 */
u64 shim_steal_clock(void)
{
	static SHIM_TLS u64 read_at, stolen;
	u64 now = shim_clock();

	if (!read_at || now - read_at > STEAL_OLD_NS) {
		WRITE_ONCE(stolen, steal_read());
		barrier(); /* a signal in between must not take the old figure for a new one */
		WRITE_ONCE(read_at, now);
	}
	return stolen;
}

void *shim_table(size_t size)
{
	void *table = aligned_alloc(SMP_CACHE_BYTES, size);

	if (!table) {
		perror("shim: table");
		exit(1);
	}
	return memset(table, 0, size);
}
