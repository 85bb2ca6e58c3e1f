/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tool's own BPF objects, of this process or of another: see bpf/own.bpf.h. */
#ifndef RQSPIN_NAMES_OWN_H
#define RQSPIN_NAMES_OWN_H

#include <stdbool.h>

struct btf;

bool own_object(const struct btf *btf); /* btf may be NULL */

/* The same by the name, for a program that is gone, when only its name is known. */
bool own_name(const char *name);

#endif
