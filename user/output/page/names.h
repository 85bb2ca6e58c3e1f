/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of the program, the locks and the place in a line of JSON. */
#ifndef RQSPIN_REPORT_NAMES_H
#define RQSPIN_REPORT_NAMES_H

#include <jansson.h>
#include <stddef.h>

#define REPORT_NAME 360

/* Names of a program or a lock of which only an id is known. */
#define REPORT_PROG_ID "program "
#define REPORT_IN_MAP  "a lock inside map "

/* Each writes into buf and returns it. */
const char *report_prog(const json_t *line, char buf[REPORT_NAME]);
const char *report_lock(const json_t *lock, char buf[REPORT_NAME]);
const char *report_failed_lock(const json_t *line, char buf[REPORT_NAME]);
const char *report_at(const json_t *line, char buf[REPORT_NAME]); /* "" if unknown */

const char *report_member(const json_t *object, const char *member); /* "" if it is no text */

#endif
