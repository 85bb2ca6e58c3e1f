/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns names of an event into names in C. */
#ifndef RQSPIN_REPLAY_IDENTS_H
#define RQSPIN_REPLAY_IDENTS_H

#define IDENT_SIZE 48
#define IDENTS_MAX 128

/* Identifiers in use. */
struct idents {
	char used[IDENTS_MAX][IDENT_SIZE];
	unsigned int nr;
};

/* An identifier like @wish, or like @otherwise if @wish has no letter or digit. */
void ident_like(const char *wish, const char *otherwise, char ident[IDENT_SIZE]);

/* The same, but not one in use. From now on it is in use. */
void ident_unique(struct idents *idents, const char *wish, const char *otherwise,
		  char ident[IDENT_SIZE]);

#endif
