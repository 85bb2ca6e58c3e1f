/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Bugs that were fixed in resilient spin locks: one test for each, named after the bug. */
#ifndef LAB_REGRESS_H
#define LAB_REGRESS_H

#include "../../locks/locks.h"

/* Returns @ok. The first failed @what of a test is printed with the test's result. */
bool expect_true(bool ok, const char *what);
#define EXPECT(cond) expect_true(cond, #cond)

extern __thread u32 last_kind;
extern __thread u64 last_wait_ns;

struct test {
	const char *name;
	bool (*run)(const struct lab_ops *ops);
};

bool aa_at_once(const struct lab_ops *ops);
bool nmi_trylock(const struct lab_ops *ops);
bool nmi_alone_waits(const struct lab_ops *ops);
bool unlock_nmi_order(const struct lab_ops *ops);
bool tas_single_entry(const struct lab_ops *ops);
bool aa_behind_a_queue(const struct lab_ops *ops);
bool keep_queue_on_deadlock(const struct lab_ops *ops);
bool tail_reset_of_kept_queue(const struct lab_ops *ops);
bool tail_of_no_cpu(const struct lab_ops *ops);
bool tail_of_an_idle_cpu(const struct lab_ops *ops);
bool limit_from_the_last_owner(const struct lab_ops *ops);
bool limit_of_all_changes(const struct lab_ops *ops);
bool limit_with_interrupts_off(const struct lab_ops *ops);
bool clock_that_goes_back(const struct lab_ops *ops);
bool leave_behind_one_who_stands_still(const struct lab_ops *ops);

/* Are all queue nodes free again? */
bool no_node_left(void);

/*
 * Calls @probe after every instruction of @fn. Returns their number, or 0 without single-stepping.
 */
u64 step_each(void (*fn)(void *arg), void (*probe)(void *arg), void *arg);

#endif /* LAB_REGRESS_H */
