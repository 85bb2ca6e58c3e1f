/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include "run/fault.h"
#include "run/run.h"

void report_head(FILE *out);
void report_row(FILE *out, const struct job *j, const struct result *r);
void report_json(FILE *out, const struct job *j, const struct result *r);
void report_fault_head(FILE *out);
void report_fault_row(FILE *out, const struct job *j, const struct fault_result *r);
void report_fault_json(FILE *out, const struct job *j, const struct fault_result *r);
void report_locks(FILE *out);

#endif
