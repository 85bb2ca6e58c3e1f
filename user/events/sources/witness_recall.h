/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names that a recorder stored with a record: of its program, its locks and its line. */
#ifndef RQSPIN_SOURCES_WITNESS_RECALL_H
#define RQSPIN_SOURCES_WITNESS_RECALL_H

struct failure;
struct locknames;
struct proginfos;
struct witness;
struct witness_names;

/* Makes the names of program and locks known, before the record becomes a failure. */
void witness_recall(const struct witness *w, const struct witness_names *n, struct proginfos *progs,
		    struct locknames *locks);

/* Sets the source line, if the program is gone, and its line info with it. */
void witness_recall_line(const struct witness_names *n, struct failure *f);

#endif
