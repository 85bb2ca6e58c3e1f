/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef BENCH_STREAMS_H
#define BENCH_STREAMS_H

/* A report that is dropped because the stream is full of unread ones would cost less. */
void stream_drain(int prog_fd);

#endif
