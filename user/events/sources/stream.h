/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's reports, read from the error stream of every program. Reading takes them away from
 * other readers; a program's stream is freed with the program.
 */
#ifndef RQSPIN_SOURCES_STREAM_H
#define RQSPIN_SOURCES_STREAM_H

#include "events/source.h"

extern const struct source source_stream;

#endif
