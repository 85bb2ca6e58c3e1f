/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The settings of the locks' C on a simulated machine, which is an x86: included before all else.
 * Where a loop does nothing until a word changes, or until its next look at the clock, the CPU
 * sleeps so long: what it would have read meanwhile is known.
 */
#ifndef SIM_C_ARCH_H
#define SIM_C_ARCH_H

extern _Bool shim_hybrid;

/* Rounds of a loop between two looks at the clock: 8, but a watch lasts until the next look. */
unsigned int sim_rounds(void);
void sim_relax_until(const volatile void *addr, unsigned long ns);
void sim_pauses(unsigned long n);

#define RES_SPINS      sim_rounds()
#define RES_ROUNDS_MAX 1
#define res_spin_relax(word, v, n) \
	((void)(v), (void)(n), sim_relax_until(word, w->begin ? w->next : 0))
#define shim_relax_until(a, ns) sim_relax_until(a, ns)
#define shim_relax_for(n)	sim_pauses(n)
#define _Q_PENDING_LOOPS	(1 << 9)

#endif /* SIM_C_ARCH_H */
