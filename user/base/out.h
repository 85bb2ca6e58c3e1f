/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Standard output, and what to do when it cannot be written. */
#ifndef RQSPIN_BASE_OUT_H
#define RQSPIN_BASE_OUT_H

/* To be called first: a limit of file sizes (ulimit -f) is an error to us, which is told. */
void out_init(void);

/**
 * out_to_file() - from now on standard output is a file
 * @path: its name, which messages use, too; a link is not followed
 *
 * What an old file has stays until out_empty_file().
 *
 * Return: 0, or -errno: nothing has changed. -ELOOP: it is a link; -ENXIO: a pipe that nobody
 * reads; -EWOULDBLOCK: another process of ours writes it
 */
int out_to_file(const char *path);

/* What was in the file is gone. 0 or -errno. */
int out_empty_file(void);

/* For messages. */
const char *out_name(void);

/* What standard output was before that: for commands that we start. */
int out_stdout(void);

/* 0 or the negative errno of anything written to it; -EPIPE: its reader went away. */
int out_flush(void);

/* The same without writing: what has become of it so far. */
int out_state(void);

/**
 * out_failed() - end of a verb whose output failed
 * @err: of out_flush(), or 0
 *
 * Says why, once: what is still in the buffer is dropped, so that nothing fails again at the exit.
 * A reader that went away has what it wanted, as in "rqspin trace | head".
 *
 * Return: @err; 0 for -EPIPE
 */
int out_failed(int err);

#endif
