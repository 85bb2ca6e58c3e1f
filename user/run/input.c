// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/log.h"
#include "run/input.h"

#define DATA_MAX (1 << 20) /* the kernel has limits of its own, below this one */
#define CTX_MAX	 (1 << 16)

static int file_refuse(const char *option, const char *path, const char *why)
{
	pr_err("%s %s: %s", option, path, why);
	return -EINVAL;
}

static int stream_read(FILE *f, const char *option, const char *path, void *buf, size_t max,
		       uint32_t *size)
{
	size_t n = fread(buf, 1, max + 1, f);

	if (ferror(f))
		return file_refuse(option, path, strerror(errno));
	if (!n)
		return file_refuse(option, path, "empty; it has to hold raw bytes, as of bpftool");
	if (n > max)
		return file_refuse(option, path, "too large");
	*size = n;
	return 0;
}

static int file_read(const char *option, const char *path, size_t max, void **buf, uint32_t *size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rbe") : stdin;
	int err;

	if (!f)
		return file_refuse(option, path, strerror(errno));
	*buf = malloc(max + 1);
	err = *buf ? stream_read(f, option, path, *buf, max, size) : -ENOMEM;
	if (f != stdin)
		fclose(f);
	return err;
}

int input_read(struct run_input *in, const char *data_file, const char *ctx_file)
{
	int err = 0;

	if (data_file)
		err = file_read("--data-in", data_file, DATA_MAX, &in->data, &in->data_size);
	if (!err && ctx_file)
		err = file_read("--ctx-in", ctx_file, CTX_MAX, &in->ctx, &in->ctx_size);
	return err;
}

void input_free(struct run_input *in)
{
	free(in->data);
	free(in->ctx);
	*in = (struct run_input){ 0 };
}

int input_check(const struct run_input *in, const struct role *roles, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (in->data_size && !roles[i].batch) {
			pr_err("--data-in: %s is no program for packets: give it --ctx-in",
			       roles[i].prog);
			return -EINVAL;
		}
	}
	return 0;
}
