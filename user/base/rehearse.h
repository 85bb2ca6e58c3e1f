/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls into libraries that crash on damaged input. */
#ifndef RQSPIN_BASE_REHEARSE_H
#define RQSPIN_BASE_REHEARSE_H

/**
 * rehearse_in_child() - call a function that might crash, in a process of its own
 * @what: the function; its output is dropped, and what it opens, loads or changes in memory ends
 * with the process
 * @arg: its argument
 *
 * Context: before any thread is started.
 *
 * Return: 0 if @what returned, else the signal that ended it
 */
int rehearse_in_child(void (*what)(void *arg), void *arg);

/* How libbpf failed on an object, as text for a message. sig: of rehearse_in_child(). */
const char *rehearse_text(int sig);

#endif
