/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock's settings under the scheduler: it checks for deadlocks in every round of a loop. */
#ifndef MC_ARCH_H
#define MC_ARCH_H

extern unsigned int mc_tag_cpus, mc_page_cpus;
unsigned int mc_round(unsigned int *count);
_Bool mc_no_queue(void);
_Bool mc_hybrid(void);

#define RES_TAG_CPUS		   mc_page_cpus
#define RES_TAG_LIMIT		   mc_tag_cpus
#define RES_SPINS		   mc_round(&w->spins)
#define RES_ROUNDS_MAX		   1
#define res_spin_relax(word, v, n) ((void)(v), (void)(n), shim_relax(word))

#define resilient_virt_spin_lock_enabled mc_no_queue
#define res_hybrid_enabled		 mc_hybrid

/* One round of each loop is enough: more of them show nothing new. */
#define RES_STEAL_NS  0
#define RES_CLOSED_NS 0
#define RES_OPEN_NS   0
#define RES_HALT_NS   0

#endif /* MC_ARCH_H */
