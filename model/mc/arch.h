/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the architecture of the scheduler gives to the lock: a check in every round of a loop. */
#ifndef MC_ARCH_H
#define MC_ARCH_H

extern unsigned int mc_tag_cpus;
unsigned int mc_round(unsigned int *count);
_Bool mc_no_queue(void);

#define RES_TAG_CPUS		mc_tag_cpus
#define RES_SPINS		mc_round(&w->spins)
#define res_spin_relax(word, v) ((void)(v), shim_relax(word))

#define resilient_virt_spin_lock_enabled mc_no_queue

#endif /* MC_ARCH_H */
