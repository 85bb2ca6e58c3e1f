/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs that are in the kernel already. */
#ifndef RQSPIN_CHECK_LOADED_H
#define RQSPIN_CHECK_LOADED_H

#include "check/progs.h"

/* Add all of them; programs that go meanwhile are left out. 0 or -errno, after printing why. */
int check_loaded(struct check_set *set);

#endif
