/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_BASE_CPUS_H
#define RQSPIN_BASE_CPUS_H

#include <stdbool.h>

#include "base/opts.h"

bool cpu_online(int cpu);		  /* also true if unknown */
int cpus_present(int cpus[OPT_CPUS_MAX]); /* returns how many, or -errno */
int cpus_usable(int cpus[OPT_CPUS_MAX]);  /* that this process may run on; returns how many */
bool cpu_usable(int cpu);		  /* online and allowed: tested by moving there */

#endif
