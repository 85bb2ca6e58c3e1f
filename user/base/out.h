/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Standard output, and what to do when it cannot be written. */
#ifndef RQSPIN_BASE_OUT_H
#define RQSPIN_BASE_OUT_H

/*
 * To be called first: exceeding the limit of file sizes (ulimit -f) is then an error that we
 * report, not a signal.
 */
void out_init(void);

/**
 * out_to_file() - from now on standard output is a file
 * @path: its name, which messages use, too; a link is not followed
 *
 * The contents of an old file stay until out_empty_file().
 *
 * Return: 0, or -errno: nothing has changed. -ELOOP: it is a link; -ENXIO: a pipe that nobody
 * reads; -EWOULDBLOCK: another rqspin process writes it
 */
int out_to_file(const char *path);

/* Empties the file. 0 or -errno. */
int out_empty_file(void);

/* Name of the output, for messages. */
const char *out_name(void);

/* Descriptor of standard output as it was before out_to_file(): for commands that we start. */
int out_stdout(void);

/*
 * Flushes standard output. 0 or the negative errno of anything written to it; -EPIPE: its reader
 * went away.
 */
int out_flush(void);

/* The same without flushing: the result of the writes so far. */
int out_state(void);

/**
 * out_failed() - end of a verb whose output failed
 * @err: result of out_flush(), or 0
 *
 * Prints the reason, once: the rest of the buffer is dropped, so that nothing fails again at the
 * exit. A reader that went away has read all it wanted, as in "rqspin trace | head".
 *
 * Return: @err; 0 for -EPIPE
 */
int out_failed(int err);

#endif
