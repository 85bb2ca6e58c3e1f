/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a call of a kernel function does with locks and with what the check follows. */
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
	CALL_LOOKUP,	   /* of an element's value */
	CALL_LOOKUP_INNER, /* of an element: the program adds the way to the value itself */
	CALL_OBJECT_NEW,
	CALL_OBJECT,	  /* an object of a type that is not known */
	CALL_OBJECT_SAME, /* another pointer to an object */
	CALL_STORAGE,	  /* an element of a local storage */
	CALL_SLICE,	  /* perhaps a pointer to what it was given */
	CALL_NO_RETURN,
};

/**
 * struct call - one kernel function
 * @irqsave: with interrupts off
 * @reads: what its pointers lead to stays as it is
 * @sizes: one bit for each register whose successor has the size of what it points to
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

/* Can instructions be read at all? The kernel may hide its addresses. */
bool calls_known(const struct calls *calls);

struct call calls_of(struct calls *calls, const struct bpf_insn *insn);

#endif
