/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What to do about a finding. */
#ifndef RQSPIN_CHECK_ADVICE_H
#define RQSPIN_CHECK_ADVICE_H

const char *advice(const char *kind); /* of a finding; NULL: nothing */

/* About a message of the verifier; NULL: the message says it all. */
const char *advice_refusal(const char *reason);

#endif
