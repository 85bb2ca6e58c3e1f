// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "run/progs.h"

static void open_and_close(void *path)
{
	bpf_object__close(bpf_object__open_file(path, NULL));
}

struct bpf_object *progs_open(const char *path, int *sig)
{
	struct bpf_object *obj = NULL;

	*sig = rehearse_in_child(open_and_close, (void *)path);
	log_trying(true);
	if (!*sig)
		obj = bpf_object__open_file(path, NULL);
	log_trying(false);
	return obj;
}

void progs_names(struct bpf_object *obj, char *buf, size_t size)
{
	struct bpf_program *prog = NULL;
	size_t used = 0;

	buf[0] = '\0';
	while (used < size && (prog = bpf_object__next_program(obj, prog)))
		used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
				 bpf_program__name(prog));
}
