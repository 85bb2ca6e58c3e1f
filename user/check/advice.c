// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>
#include <string.h>

#include "check/advice.h"

struct row {
	const char *about, *what;
};

static const struct row kinds[] = {
	{ "cycle",
	  "take these locks in one order everywhere, or release the first before the second; "
	  "res_lock_pair.bpf.h and res_lock_rank.bpf.h keep an order of bpf_res_spin_locks for you" },
	{ "aa", "look the element up once, or compare the keys before the second lock" },
	{ "retry",
	  "release what is held and return: the other side needs this lock's owner to go on" },
	{ "interrupt", "take it with bpf_res_spin_lock_irqsave() where it can be interrupted" },
	{ "nmi",
	  "no way to keep an NMI off: let the program in it expect failures, or give it a lock of "
	  "its own" },
	{ "map-hang",
	  "give the program on top maps of its own, or use a kernel where this lock is resilient "
	  "(rqspin errno shows it)" },
	{ "map-fails",
	  "expect the error and try again in the next run of the program, not at once; or give the "
	  "program on top a map of its own" },
	{ "map-order",
	  "let all programs nest operations on these maps in one order, or end one before the next "
	  "begins: a map of its own for the program on top does it" },
	{ "ignored", "count the failure or return it, or nobody will know what was not done" },
	{ "undecided",
	  "take such locks in the order of their addresses (res_lock_pair.bpf.h) or of "
	  "their keys: by hand with if and two calls, as the verifier refuses what ?: chooses" },
	{ "not-loaded", "check it on the machine that it runs on" },
};

/* Parts of the verifier's messages. */
static const struct row refusals[] = {
	{ "unlock cannot be out of order",
	  "release the locks in the reverse order, or with bpf_res_spin_unlock_ooo() where the kernel "
	  "has it" },
	{ "AA deadlock",
	  "this pointer is locked already: release it first; if two are chosen by ?:, the verifier "
	  "takes them for one: branch with if and call twice, or use res_lock_pair.bpf.h" },
	{ "acquired lock", "release every lock, interrupt state and reference on every way out" },
	{ "global function calls",
	  "make the function static, or call it before the lock is taken or after it is released" },
	{ "has to have BTF in order to use",
	  "declare what the map holds: __type(key, ...) and __type(value, struct ...) instead of "
	  "key_size and value_size, and compile with -g; arrays, hashes and local storage can hold "
	  "locks, per-CPU and LRU maps cannot" },
	{ "cannot be used inside bpf_res_spin_lock",
	  "release the lock before this call or exit, on every path" },
	{ "cannot be used inside bpf_spin_lock", "release the lock before this call or exit" },
	{ "calls are not allowed while holding a lock",
	  "call it before the lock is taken or after it is released; while a lock is held only "
	  "instructions, static functions and a few kfuncs may run" },
	{ "without taking a lock", "take the lock first, and check that the function returned 0" },
	{ "unlock without", "release only in the branch where the lock function returned 0" },
	{ "unlock of different lock", "pass the pointer that was locked, from the same look-up" },
	{ "has no valid bpf_res_spin_lock",
	  "put a struct bpf_res_spin_lock into the map's value or object; an object needs a list or "
	  "tree node or a reference count too" },
	{ "has no valid bpf_spin_lock", "put a struct bpf_spin_lock into the map's value" },
	{ "doesn't have constant offset", "point at the field itself, not at a computed address" },
	{ "is not inside 'struct bpf_res_spin_lock'", "pass the address of the lock itself" },
	{ "doesn't point to map value",
	  "the lock must be in a map's value, an object or a global" },
	{ "possibly NULL", "compare the look-up's result with NULL before it is used" },
	{ "or_null", "compare the look-up's result with NULL before it is used" },
	{ "'map_value_or_null'", "compare the look-up's result with NULL before it is used" },
	{ "irq flag",
	  "give each irqsave its own flags variable, and restore in the reverse order" },
	{ "cannot restore irq state", "restore interrupts in the reverse order of saving them" },
	{ "Unreleased reference", "release what was acquired on every path to an exit" },
	{ "within rcu_read_lock region", "RCU is read-locked here: unlock it before the call" },
	{ "within non-preemptible region", "preemption is off here: enable it before the call" },
	{ "within preempt-disabled region", "preemption is off here: enable it before the call" },
	{ "within IRQ-disabled region", "interrupts are off here: restore them before the call" },
	{ "sleepable",
	  "the call may sleep, and this program may not: make it one that may where there is such a "
	  "type (syscall, fentry.s, lsm.s, iter.s, uprobe.s), or use a function that does not sleep" },
	{ "too many instructions", "make the loop shorter, or use bpf_loop() or can_loop" },
	{ "too large", "make the program smaller, or split it into global functions" },
	{ "infinite loop detected", "bound the loop, with can_loop for example" },
	{ "invalid access to map value", "check the index against the size before it is used" },
	{ "!read_ok", "give the variable a value on every path" },
	{ "GPL", "declare a licence that is compatible with the GPL in the section \"license\"" },
};

static const char *advice_find(const struct row *rows, size_t nr, const char *text, int whole)
{
	for (size_t i = 0; i < nr; i++)
		if (whole ? !strcmp(text, rows[i].about) : !!strstr(text, rows[i].about))
			return rows[i].what;
	return NULL;
}

const char *advice_of_kind(const char *kind)
{
	return advice_find(kinds, sizeof(kinds) / sizeof(kinds[0]), kind, 1);
}

const char *advice_refusal(const char *reason)
{
	return advice_find(refusals, sizeof(refusals) / sizeof(refusals[0]), reason, 0);
}
