// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <bpf/btf.h>

#include "names/own.h"

#define OWN_MARK   "rqspin_own_object"
#define OWN_PREFIX "rqspin_"

bool own_object(const struct btf *btf)
{
	return btf && btf__find_by_name_kind(btf, OWN_MARK, BTF_KIND_VAR) > 0;
}

bool own_name(const char *name)
{
	return !strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX));
}
