/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names that a recorder wrote down beside a record, for whoever names things. */
#ifndef RQSPIN_SOURCES_WITNESS_RECALL_H
#define RQSPIN_SOURCES_WITNESS_RECALL_H

struct failure;
struct locknames;
struct proginfos;
struct witness;
struct witness_names;

/* Tells of the program and the locks, before the record becomes a failure. */
void witness_recall(const struct witness *w, const struct witness_names *n, struct proginfos *progs,
		    struct locknames *locks);

/* The source line, if the program that knew it is gone. */
void witness_recall_line(const struct witness_names *n, struct failure *f);

#endif
