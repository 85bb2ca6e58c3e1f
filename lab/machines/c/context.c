// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The functions that the shim needs: the CPU, its interrupts, the clock, and how it spins. */
#include <string.h>

#include "c/access.h"
#include "c/memory.h"
#include "core/host.h"

/* The clock does not begin at 0, which locks take for "not read yet". */
#define CLOCK_NS 1000000000

bool shim_in_nmi(void);
int shim_cpu(void);
unsigned long shim_irq_save(void);
void shim_irq_restore(unsigned long flags);
bool shim_irqs_disabled(void);
uint64_t shim_clock(void);
void shim_relax(const volatile void *addr);
unsigned int sim_rounds(void);
void sim_relax_until(const volatile void *addr, unsigned long ns);
void sim_pauses(unsigned long n);
void res_halt(uint8_t *halted);
void res_kick(int cpu);

static bool irqs_off[SIM_CPUS], watched[SIM_CPUS];

int shim_cpu(void)
{
	return sim_running ? sim_running->id : 0;
}

bool shim_in_nmi(void)
{
	return false;
}

bool shim_irqs_disabled(void)
{
	return irqs_off[shim_cpu()];
}

unsigned long shim_irq_save(void)
{
	bool off = irqs_off[shim_cpu()];

	irqs_off[shim_cpu()] = true;
	return off;
}

void shim_irq_restore(unsigned long flags)
{
	irqs_off[shim_cpu()] = flags;
}

uint64_t shim_clock(void)
{
	return CLOCK_NS + c_now() / SIM_NS;
}

void shim_relax(const volatile void *addr)
{
	watched[shim_cpu()] = false;
	if (addr)
		c_watch(addr, SIM_NEVER);
	else
		c_pause();
}

void sim_relax_until(const volatile void *addr, unsigned long ns)
{
	watched[shim_cpu()] = ns;
	if (ns)
		c_watch(addr, (sim_time)(ns - CLOCK_NS) * SIM_NS);
	else
		c_pause();
}

void sim_pauses(unsigned long n)
{
	watched[shim_cpu()] = false;
	c_spend(sim_running, n * sim_running->sim->topo.pause);
}

unsigned int sim_rounds(void)
{
	return watched[shim_cpu()] ? 1 : 8;
}

/* A kick after the load is not lost: the host remembers it. */
void res_halt(uint8_t *halted)
{
	struct sim_cpu *c = sim_running;

	if (!c_load(halted, 1))
		return;
	c_settle(c);
	host_halt(c);
}

void res_kick(int cpu)
{
	c_settle(sim_running);
	host_kick(sim_running, cpu);
}

void c_context_reset(void)
{
	memset(irqs_off, 0, sizeof(irqs_off));
	memset(watched, 0, sizeof(watched));
}
