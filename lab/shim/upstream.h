/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Included before upstream's rqspinlock.c and its header, which are unchanged: renames the symbols
 * that both locks define, and provides the parts of <linux/bpf.h> that a lock needs where no BPF
 * program runs. Upstream's kfuncs are compiled, but never called.
 */
#ifndef LAB_SHIM_UPSTREAM_H
#define LAB_SHIM_UPSTREAM_H

#define resilient_tas_spin_lock		    upstream_tas_spin_lock
#define resilient_queued_spin_lock_slowpath upstream_queued_spin_lock_slowpath
#define bpf_res_spin_lock		    upstream_bpf_lock
#define bpf_res_spin_unlock		    upstream_bpf_unlock
#define bpf_res_spin_lock_irqsave	    upstream_bpf_lock_irqsave
#define bpf_res_spin_unlock_irqrestore	    upstream_bpf_unlock_irqrestore

#include "shim.h"

/* As on a virtual machine, where no CPU queues. */
extern bool shim_upstream_tas;

#define resilient_virt_spin_lock_enabled resilient_virt_spin_lock_enabled
static __always_inline bool resilient_virt_spin_lock_enabled(void)
{
	return unlikely(READ_ONCE(shim_upstream_tas));
}
#define resilient_virt_spin_lock(lock) resilient_tas_spin_lock(lock)

/* One instruction, as in the kernel, so that an interrupt comes before or after it. */
#ifdef SHIM_SEG_GS
#define this_cpu_inc_return(var)                                                                 \
	({                                                                                       \
		__typeof__(var) __one = 1;                                                       \
		__asm__ __volatile__("xadd %0, %1" : "+r"(__one), "+m"(shim_gs(var))::"memory"); \
		__one + 1;                                                                       \
	})
#else
#define this_cpu_inc_return(var) __atomic_add_fetch(this_cpu_ptr(&(var)), 1, __ATOMIC_RELAXED)
#endif

/* <linux/tracepoint-defs.h>: tracing is off. */
#define DECLARE_TRACEPOINT(name)
#define tracepoint_enabled(name) false
#define IS_ENABLED(option)	 0

/* <linux/bpf.h>: no program is on the stack, so no report is written. */
struct bpf_prog;
struct bpf_stream_stage {
	int unused;
};

static inline struct bpf_prog *bpf_prog_find_from_stack(void)
{
	return NULL;
}

#define bpf_stream_stage(ss, prog, id, report) ((void)(ss), (void)(prog))

/* <linux/btf.h> */
struct btf_id_set8 {
	int unused;
};

struct btf_kfunc_id_set {
	void *owner;
	struct btf_id_set8 *set;
};

#define __bpf_kfunc
#define __bpf_kfunc_start_defs() struct shim_kfuncs_begin
#define __bpf_kfunc_end_defs()	 struct shim_kfuncs_end
#define BTF_KFUNCS_START(name)	 static struct btf_id_set8 name;
#define BTF_KFUNCS_END(name)
#define BTF_ID_FLAGS(...)
#define THIS_MODULE NULL

#define register_btf_kfunc_id_set(type, set) ((void)(set), 0)
#define late_initcall(fn)		     static int (*const shim_late_##fn)(void) __maybe_unused = fn

#endif /* LAB_SHIM_UPSTREAM_H */
