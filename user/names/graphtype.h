/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists and trees inside a type: map values, sections of globals, objects. */
#ifndef RQSPIN_NAMES_GRAPHTYPE_H
#define RQSPIN_NAMES_GRAPHTYPE_H

#include <linux/types.h>
#include <stdbool.h>

struct btf;

enum graph_kind { GRAPH_LIST, GRAPH_TREE };

/* Is there a list head, or the root of a tree, in the type? Pointers are not followed. */
bool graphtype_has(const struct btf *btf, __u32 type_id, enum graph_kind kind);

#endif
