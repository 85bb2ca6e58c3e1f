// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "kernel/btffile.h"

static void try_btf(void *path)
{
	btf__free(btf__parse(path, NULL));
}

/* A file from outside may be damaged, and libbpf may crash on it. */
struct btf *btffile_read(const char *path)
{
	struct btf *btf;
	int err = EINVAL;

	log_trying(true);
	btf = rehearse_in_child(try_btf, (void *)path) ? NULL : btf__parse(path, NULL);
	if (!btf && errno)
		err = errno;
	log_trying(false);
	if (!btf)
		pr_err("--btf %s: no BTF can be read there: %s", path, strerror(err));
	return btf;
}
