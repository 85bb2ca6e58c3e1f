/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The running kernel: its kfuncs, and the maps and types that every program uses. */
#ifndef RQSPIN_RULES_KERNEL_H
#define RQSPIN_RULES_KERNEL_H

#include "program.h"

enum kfunc {
	K_LOCK,
	K_UNLOCK,
	K_LOCK_IRQ,
	K_UNLOCK_IRQ,
	K_UNLOCK_OOO,
	K_SAVE,
	K_RESTORE,
	K_ITER_NEW,
	K_ITER_NEXT,
	K_ITER_DESTROY,
	K_OBJ_NEW,
	K_OBJ_DROP,
	K_REFCOUNT_ACQUIRE,
	K_LIST_PUSH,
	K_LIST_POP,
	K_TREE_ADD,
	K_TREE_FIRST,
	K_TREE_REMOVE,
	K_RCU_LOCK,
	K_RCU_UNLOCK,
	K_KPTR_USE,
	NR_KFUNCS,
};

/* Offsets within the values and objects of types.c. */
#define LOCK_OFF   0
#define NUMBER_OFF 4
#define HEAD_OFF   8
#define ROOT_OFF   24
#define KPTR_OFF   40
#define KEY_OFF	   8
#define NODE_OFF   16
#define VALUE_SIZE 48

/* BTF ids of our own types. */
struct types {
	int fd; /* of the loaded BTF */
	int key, value, plain, number, item, leaf, func;
};

struct kernel {
	int kfunc[NR_KFUNCS]; /* BTF ids; not positive: the kernel has no such kfunc */
	int entry, iter;      /* functions to attach programs at entry and map iterators to */
	struct types types;
	int globals[2], plain[2], nested_plain[2], values, numbers, condition;
};

int make_types(struct types *types);

/* 0, or a negative errno after a message; *lacks is set if there are no resilient locks. */
int open_kernel(struct kernel *k, bool *lacks);
const char *kfunc_name(enum kfunc kfunc);

#endif
