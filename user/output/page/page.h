/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The report as one file of HTML. */
#ifndef RQSPIN_REPORT_PAGE_H
#define RQSPIN_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

/* page.html with page.css, page.js and the data in it. -ENOMEM. */
int page_write(FILE *out, const json_t *data);

#endif
