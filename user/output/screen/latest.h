/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The latest failure of each series: kept as it came, composed as text when it is to be shown. */
#ifndef RQSPIN_TOP_LATEST_H
#define RQSPIN_TOP_LATEST_H

#include <linux/types.h>
#include <stddef.h>

struct failure;
struct latests;

struct latests *latests_new(void);
void latests_free(struct latests *l);

/* Now the failure is the latest of this series. Without memory the one before stays. */
void latest_set(struct latests *l, size_t series, const struct failure *f);

/* Compose new failures; the text, or NULL, is taken over. Names are read here, and only here. */
typedef char *(*latest_fn)(const struct failure *f, void *ctx);
void latests_compose(struct latests *l, latest_fn compose, void *ctx);

/* Not in the text: when the failure was, and how long it waited (or WAIT_UNKNOWN). */
struct latest_when {
	__u64 ts_ns, wait_ns;
};

/* The text of the latest failure, which lives until the next latests_compose(). NULL: none. */
const char *latest_text(const struct latests *l, size_t series, struct latest_when *when);

#endif
