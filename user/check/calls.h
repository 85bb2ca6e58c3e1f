/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a call of a kernel function does to locks and to the values that the check follows. */
#ifndef RQSPIN_CHECK_CALLS_H
#define RQSPIN_CHECK_CALLS_H

#include <linux/bpf.h>
#include <stdbool.h>

enum call_kind {
	CALL_OTHER,
	CALL_LOCK,
	CALL_UNLOCK,
	CALL_SPIN_LOCK, /* bpf_spin_lock(): cannot fail */
	CALL_IRQ_SAVE,
	CALL_IRQ_RESTORE,
	CALL_LOOKUP,	   /* returns an element's value */
	CALL_LOOKUP_INNER, /* returns an element: the program adds the offset of the value itself */
	CALL_OBJECT_NEW,
	CALL_OBJECT,	  /* an object of unknown type */
	CALL_OBJECT_SAME, /* another pointer to an object */
	CALL_STORAGE,	  /* an element of a local storage */
	CALL_SLICE,	  /* may return a pointer to a buffer that it was given */
	CALL_NO_RETURN,
};

/**
 * struct call - one kernel function
 * @irqsave: it saves or restores the interrupt state
 * @reads: it does not write through its pointers
 * @sizes: one bit for each pointer register whose next register has the size of the buffer
 */
struct call {
	enum call_kind kind;
	bool irqsave, reads;
	__u8 sizes;
	const char *name; /* "" if it is not known */
};

struct calls;

/* NULL: no memory. Names come from /proc/kallsyms and the kernel's BTF. */
struct calls *calls_open(void);
void calls_close(struct calls *calls);

/* Can calls be resolved? Not if the kernel hides its addresses. */
bool calls_known(const struct calls *calls);

struct call calls_of(struct calls *calls, const struct bpf_insn *insn);

#endif
