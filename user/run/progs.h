/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs of a BPF object in a file. */
#ifndef RQSPIN_RUN_PROGS_H
#define RQSPIN_RUN_PROGS_H

#include <stddef.h>

struct bpf_object;

/*
 * Opens an object to look at it, without loading it. Returns NULL if it is no object. *sig is the
 * signal if libbpf crashes on the object, else 0.
 */
struct bpf_object *progs_open(const char *path, int *sig);

/* The names of an object's programs, separated by commas; as many as fit. */
void progs_names(struct bpf_object *obj, char *buf, size_t size);

#endif
