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
	err = *buf ? stream_read(f, option, path, *buf, max, size) :
		     file_refuse(option, path, strerror(ENOMEM));
	if (f != stdin)
		fclose(f);
	return err;
}

bool input_files_add(struct input_files *files, const char *path)
{
	if (files->nr == INPUT_FILES_MAX)
		return false;
	files->path[files->nr++] = path;
	return true;
}

unsigned int input_files_stdin(const struct input_files *files)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < files->nr; i++)
		nr += !strcmp(files->path[i], "-");
	return nr;
}

static int files_check(const struct input_files *files, const char *option, unsigned int roles)
{
	if (files->nr <= 1 || files->nr == roles)
		return 0;
	pr_err("%s: %u files for %u thread%s: give one for all, or one for each role, or each CPU "
	       "of a single role (--cpus 0,1)",
	       option, files->nr, roles, roles == 1 ? "" : "s");
	return -EINVAL;
}

/* The file of a role, or NULL if it uses the first role's file. */
static const char *files_of(const struct input_files *files, unsigned int role)
{
	return role < files->nr ? files->path[role] : NULL;
}

static int role_read(struct drive *d, unsigned int i, const char *data, const char *ctx)
{
	struct run_input *in = &d->inputs[i];
	int err = 0;

	if (data)
		err = file_read("--data-in", data, DATA_MAX, &in->data, &in->data_size);
	if (!err && ctx)
		err = file_read("--ctx-in", ctx, CTX_MAX, &in->ctx, &in->ctx_size);
	return err;
}

static void role_share(struct drive *d, unsigned int i)
{
	const struct run_input *first = &d->inputs[0];
	struct run_input *in = &d->inputs[i];

	if (!in->data) {
		in->data = first->data;
		in->data_size = first->data_size;
	}
	if (!in->ctx) {
		in->ctx = first->ctx;
		in->ctx_size = first->ctx_size;
	}
}

int input_read(struct drive *d, const struct input_files *data, const struct input_files *ctx)
{
	int err = files_check(data, "--data-in", d->nr_roles) ?:
			  files_check(ctx, "--ctx-in", d->nr_roles);

	if (err)
		return err;
	d->inputs = calloc(d->nr_roles, sizeof(*d->inputs));
	if (!d->inputs) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < d->nr_roles && !err; i++)
		err = role_read(d, i, files_of(data, i), files_of(ctx, i));
	for (unsigned int i = 1; i < d->nr_roles && !err; i++)
		role_share(d, i);
	return err;
}

void input_free(struct drive *d)
{
	const struct run_input *first = d->inputs;

	for (unsigned int i = d->inputs ? d->nr_roles : 0; i-- > 0;) {
		struct run_input *in = &d->inputs[i];

		if (!i || in->data != first->data)
			free(in->data);
		if (!i || in->ctx != first->ctx)
			free(in->ctx);
	}
	free(d->inputs);
	d->inputs = NULL;
}

int input_check(const struct drive *d)
{
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		if (d->inputs[i].data_size && !d->roles[i].batch) {
			pr_err("--data-in: %s is no program for packets: give it --ctx-in",
			       d->roles[i].prog);
			return -EINVAL;
		}
	}
	return 0;
}
