/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Libraries that crash on damaged input. */
#ifndef RQSPIN_BASE_REHEARSE_H
#define RQSPIN_BASE_REHEARSE_H

/**
 * rehearse() - try in a process of its own what might crash
 * @what: what to try; is silent, and what it opens, loads or changes in memory goes with it
 * @arg: its argument
 *
 * Context: before any thread is started.
 *
 * Return: 0 if @what returned, else the signal that ended it
 */
int rehearse(void (*what)(void *arg), void *arg);

/* What became of libbpf when it tried an object: for a message. */
const char *rehearse_text(int sig);

#endif
