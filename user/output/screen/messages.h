/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages while the screen is in use: it shows the last one, the latest are printed afterwards. */
#ifndef RQSPIN_TOP_MESSAGES_H
#define RQSPIN_TOP_MESSAGES_H

void messages_add(const char *line); /* for log_divert() */
const char *messages_last(void);     /* NULL: none, or all were looked at */
unsigned long long messages_unseen(void);
void messages_seen(void);
char *messages_text(void); /* those that are kept, the newest first; to be freed */
void messages_print(void); /* on standard error, and how many were dropped */

#endif
