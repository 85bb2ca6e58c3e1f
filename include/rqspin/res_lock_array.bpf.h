/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Arrays of locks. The verifier allows one lock per map value and per section,
 * and has to know which lock is meant, so "locks[i]" cannot be written.
 *
 * In map values, for any number of locks with the data they protect:
 *	struct account { struct bpf_res_spin_lock lock; __u64 balance; };
 *	RES_LOCK_MAP(accounts, struct account, 1000);
 *	struct account *from = res_lock_map_elem(&accounts, i);
 *
 * As globals, for a lock that is chosen where no helper may be called:
 *	RES_LOCK_BANK(forks, 5);
 *	struct bpf_res_spin_lock *left = res_lock_bank(forks, 5, i);
 *
 * Idea: per-bucket locks of the kernel's hash maps, and striped locks.
 */
#ifndef RQSPIN_RES_LOCK_ARRAY_BPF_H
#define RQSPIN_RES_LOCK_ARRAY_BPF_H

#include <rqspin/res_spin_lock.bpf.h>

/**
 * RES_LOCK_MAP() - define an array map of values that contain a lock
 * @name: of the map
 * @value_type: struct with a member of type struct bpf_res_spin_lock
 * @count: number of elements
 */
#define RES_LOCK_MAP(name, value_type, count)     \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_ARRAY); \
		__uint(max_entries, count);       \
		__type(key, unsigned int);        \
		__type(value, value_type);        \
	} name SEC(".maps")

/**
 * res_lock_map_elem() - element of a RES_LOCK_MAP()
 * @map: pointer to the map
 * @index: element
 *
 * A helper call: fetch all elements before the first lock is taken.
 *
 * Return: pointer to the value, NULL if @index is not below the map's count;
 * the verifier demands the check.
 */
#define res_lock_map_elem(map, index)                                              \
	({                                                                         \
		unsigned int rqspin_index = (index);                               \
		(__typeof__((map)->value))bpf_map_lookup_elem(map, &rqspin_index); \
	})

/* Each lock costs a map, and a program may use 64 of them. */
#define RQSPIN_BANK_MAX 32

/* call(argument, index) for each index below the number in the name */
#define RQSPIN_REP_1(m, a)  m(a, 0)
#define RQSPIN_REP_2(m, a)  RQSPIN_REP_1(m, a) m(a, 1)
#define RQSPIN_REP_3(m, a)  RQSPIN_REP_2(m, a) m(a, 2)
#define RQSPIN_REP_4(m, a)  RQSPIN_REP_3(m, a) m(a, 3)
#define RQSPIN_REP_5(m, a)  RQSPIN_REP_4(m, a) m(a, 4)
#define RQSPIN_REP_6(m, a)  RQSPIN_REP_5(m, a) m(a, 5)
#define RQSPIN_REP_7(m, a)  RQSPIN_REP_6(m, a) m(a, 6)
#define RQSPIN_REP_8(m, a)  RQSPIN_REP_7(m, a) m(a, 7)
#define RQSPIN_REP_9(m, a)  RQSPIN_REP_8(m, a) m(a, 8)
#define RQSPIN_REP_10(m, a) RQSPIN_REP_9(m, a) m(a, 9)
#define RQSPIN_REP_11(m, a) RQSPIN_REP_10(m, a) m(a, 10)
#define RQSPIN_REP_12(m, a) RQSPIN_REP_11(m, a) m(a, 11)
#define RQSPIN_REP_13(m, a) RQSPIN_REP_12(m, a) m(a, 12)
#define RQSPIN_REP_14(m, a) RQSPIN_REP_13(m, a) m(a, 13)
#define RQSPIN_REP_15(m, a) RQSPIN_REP_14(m, a) m(a, 14)
#define RQSPIN_REP_16(m, a) RQSPIN_REP_15(m, a) m(a, 15)
#define RQSPIN_REP_17(m, a) RQSPIN_REP_16(m, a) m(a, 16)
#define RQSPIN_REP_18(m, a) RQSPIN_REP_17(m, a) m(a, 17)
#define RQSPIN_REP_19(m, a) RQSPIN_REP_18(m, a) m(a, 18)
#define RQSPIN_REP_20(m, a) RQSPIN_REP_19(m, a) m(a, 19)
#define RQSPIN_REP_21(m, a) RQSPIN_REP_20(m, a) m(a, 20)
#define RQSPIN_REP_22(m, a) RQSPIN_REP_21(m, a) m(a, 21)
#define RQSPIN_REP_23(m, a) RQSPIN_REP_22(m, a) m(a, 22)
#define RQSPIN_REP_24(m, a) RQSPIN_REP_23(m, a) m(a, 23)
#define RQSPIN_REP_25(m, a) RQSPIN_REP_24(m, a) m(a, 24)
#define RQSPIN_REP_26(m, a) RQSPIN_REP_25(m, a) m(a, 25)
#define RQSPIN_REP_27(m, a) RQSPIN_REP_26(m, a) m(a, 26)
#define RQSPIN_REP_28(m, a) RQSPIN_REP_27(m, a) m(a, 27)
#define RQSPIN_REP_29(m, a) RQSPIN_REP_28(m, a) m(a, 28)
#define RQSPIN_REP_30(m, a) RQSPIN_REP_29(m, a) m(a, 29)
#define RQSPIN_REP_31(m, a) RQSPIN_REP_30(m, a) m(a, 30)
#define RQSPIN_REP_32(m, a) RQSPIN_REP_31(m, a) m(a, 31)

#define rqspin_bank_define(name, i) \
	struct bpf_res_spin_lock name##_##i __hidden SEC(".data." #name "_" #i);

/*
 * The barrier keeps the compiler from making a table of addresses, which BPF cannot have, and
 * gives the index a value that the verifier knows and the compiler cannot move elsewhere.
 */
#define rqspin_bank_case(name, i)                                         \
	if (rqspin_asked == i) {                                          \
		rqspin_lock = &name##_##i;                                \
		rqspin_found = i;                                         \
		asm volatile("" : "+r"(rqspin_lock), "+r"(rqspin_found)); \
	}

/**
 * RES_LOCK_BANK() - define an array of global locks
 * @name: of the array; its locks are the variables <name>_0, <name>_1 ..., each
 *        alone in section (and map) ".data.<name>_<i>"
 * @count: number of locks, a literal from 1 to 32
 */
#define RES_LOCK_BANK(name, count)                                                   \
	_Static_assert((count) <= RQSPIN_BANK_MAX, "too many locks in bank " #name); \
	RQSPIN_REP_##count(rqspin_bank_define, name) extern int rqspin_bank_end_##name

/**
 * res_lock_bank() - lock of a RES_LOCK_BANK()
 * @name: of the array
 * @count: the same literal as in its definition
 * @index: an unsigned int variable with the number of the lock
 *
 * No call, so it may be used while locks are held. The verifier follows each
 * lock as a path of its own, in which it knows the value of @index. To take two
 * locks of one array, pick both and leave if the two variables are equal; a
 * comparison of the pointers does not show the verifier that they differ.
 *
 * Return: pointer to the lock, NULL if @index is not below @count; to be checked.
 */
#define res_lock_bank(name, count, index)                                                \
	({                                                                               \
		unsigned int *rqspin_index = &(index);                                   \
		unsigned int rqspin_asked = *rqspin_index;                               \
		unsigned int rqspin_found = rqspin_asked;                                \
		struct bpf_res_spin_lock *rqspin_lock = (void *)0;                       \
		RQSPIN_REP_##count(rqspin_bank_case, name) *rqspin_index = rqspin_found; \
		rqspin_lock;                                                             \
	})

#endif /* RQSPIN_RES_LOCK_ARRAY_BPF_H */
