/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answers scrapes, in between everything else that a single thread does. */
#ifndef RQSPIN_METRICS_HTTP_H
#define RQSPIN_METRICS_HTTP_H

#include <stdbool.h>
#include <stdio.h>

struct http;

/* Writes what there is to tell now. */
typedef void (*http_page_fn)(FILE *out, bool openmetrics, void *ctx);

/*
 * A socket that listens there: "127.0.0.1:9743", "[::1]:9743", ":9743" for every address. The
 * descriptor, or -errno after it has said why: -EINVAL if that is no such text.
 */
int http_bind(const char *where);

/* Takes over the socket. NULL after it has said why. */
struct http *http_start(int fd, http_page_fn page, void *ctx);
void http_stop(struct http *h);

/* Answer what has come; waits for nothing. */
void http_poll(struct http *h);

/* "http://127.0.0.1:9743/metrics" */
void http_url(const struct http *h, char *buf, size_t size);

#endif
