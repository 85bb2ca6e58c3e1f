/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which waits the kernel does not report. */
#ifndef RQSPIN_WAITS_MISSING_H
#define RQSPIN_WAITS_MISSING_H

enum waits_missing {
	WAITS_ALL_SEEN,
	WAITS_FIRST_MISSING, /* the waiter with the pending bit */
	WAITS_TAS_MISSING,   /* waiters use test-and-set */
	WAITS_MISSING_UNKNOWN,
};

/* Found out by trying. */
enum waits_missing waits_missing_find(void);

/* In a sentence; NULL: nothing is missing. */
const char *waits_missing(void);

/* In a word: "first-waiter", "test-and-set", "unknown"; NULL: nothing is missing. */
const char *waits_missing_word(enum waits_missing missing);

/* The sentence for it. */
const char *waits_missing_text(enum waits_missing missing);

#endif
