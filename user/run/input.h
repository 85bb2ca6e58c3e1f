/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet and the context that the user's programs get. */
#ifndef RQSPIN_RUN_INPUT_H
#define RQSPIN_RUN_INPUT_H

#include "run/driver.h"

/* Files, or "-" for stdin; NULL: none. 0, or -errno after it has said why. input_free() anyway. */
int input_read(struct run_input *in, const char *data_file, const char *ctx_file);
void input_free(struct run_input *in);

/* Can all roles, whose types are known, work on it? 0, or -EINVAL after it has said why. */
int input_check(const struct run_input *in, const struct role *roles, unsigned int nr);

#endif
