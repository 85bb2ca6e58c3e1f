/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Waits that ended well, but took long: what a flight recorder keeps beside failures. It is no
 * word of --source, because it reports no failures.
 */
#ifndef RQSPIN_SOURCES_LONGWAITS_H
#define RQSPIN_SOURCES_LONGWAITS_H

#include "events/source.h"

extern const struct source source_longwaits;

#endif
