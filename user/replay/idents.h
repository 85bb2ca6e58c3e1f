/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of an event as names in C. */
#ifndef RQSPIN_REPLAY_IDENTS_H
#define RQSPIN_REPLAY_IDENTS_H

#define IDENT_SIZE 48
#define IDENTS_MAX 128

/* Those in use. */
struct idents {
	char used[IDENTS_MAX][IDENT_SIZE];
	unsigned int nr;
};

/* An identifier like wish, or like otherwise if there is nothing of a name in wish. */
void ident_like(const char *wish, const char *otherwise, char ident[IDENT_SIZE]);

/* The same, and none that is in use; it is from now on. */
void ident_unique(struct idents *idents, const char *wish, const char *otherwise,
		  char ident[IDENT_SIZE]);

#endif
