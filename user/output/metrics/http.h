/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Answers scrapes, in between everything else that a single thread does. */
#ifndef RQSPIN_METRICS_HTTP_H
#define RQSPIN_METRICS_HTTP_H

#include <stdbool.h>
#include <stdio.h>

struct http;

/* Writes the metrics as they are now. */
typedef void (*http_page_fn)(FILE *out, bool openmetrics, void *ctx);

/*
 * Opens a socket that listens at "127.0.0.1:9743", "[::1]:9743", or ":9743" for every address.
 * Returns the descriptor, or -errno after printing why: -EINVAL if @where is no such text.
 */
int http_bind(const char *where);

/* Takes over the socket. NULL after printing why. */
struct http *http_start(int fd, http_page_fn page, void *ctx);
void http_stop(struct http *h);

/* Answer requests that have arrived; waits for nothing. */
void http_poll(struct http *h);

/* "http://127.0.0.1:9743/metrics" */
void http_url(const struct http *h, char *buf, size_t size);

#endif
