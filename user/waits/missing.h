/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_WAITS_MISSING_H
#define RQSPIN_WAITS_MISSING_H

/* Found out by doing: what of the waits here does the kernel not tell? NULL: nothing. */
const char *waits_missing(void);

#endif
