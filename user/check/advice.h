/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What to do about a finding. */
#ifndef RQSPIN_CHECK_ADVICE_H
#define RQSPIN_CHECK_ADVICE_H

const char *advice_of_kind(const char *kind); /* on a kind of finding; NULL: none */

/* Advice on a message of the verifier; NULL: the message is enough. */
const char *advice_refusal(const char *reason);

#endif
