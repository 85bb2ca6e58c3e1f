/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of programs and maps that only some lines of a trace have. */
#ifndef RQSPIN_REPORT_KNOWN_H
#define RQSPIN_REPORT_KNOWN_H

#include <jansson.h>

#include "output/page/names.h"

/**
 * struct known - names by id
 * @progs: names of programs; null where two lines disagree, as traces of two machines may
 * @maps: names of maps, in the same way
 */
struct known {
	json_t *progs, *maps;
};

int known_init(struct known *k); /* -ENOMEM */
void known_free(struct known *k);

void known_learn(struct known *k, const json_t *line);

/*
 * "program 7" and "a lock inside map 9" get the name, if a line had it. Returns any other text as
 * it is.
 */
const char *known_better(const struct known *k, const char *text, char buf[REPORT_NAME]);

#endif
