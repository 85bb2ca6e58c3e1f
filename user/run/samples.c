// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/samples.h"

#define INSTALLED "/../lib/rqspin/progs" /* seen from the binary: any prefix */

const struct sample samples[] = {
#include "user/run/samples.inc"
};

const size_t nr_samples = sizeof(samples) / sizeof(samples[0]);

const struct sample *sample_find(const char *name)
{
	for (size_t i = 0; i < nr_samples; i++)
		if (!strcmp(samples[i].name, name))
			return &samples[i];
	return NULL;
}

unsigned int sample_nr_roles(const struct sample *s)
{
	unsigned int nr = 0;

	while (nr < SAMPLE_ROLES_MAX && s->roles[nr])
		nr++;
	return nr;
}

static char *object_in(const char *dir, const char *sub, const char *name)
{
	char *path;

	if (asprintf(&path, "%s%s/%s.bpf.o", dir, sub, name) < 0)
		return NULL;
	if (!access(path, F_OK))
		return path;
	free(path);
	return NULL;
}

char *sample_object(const char *name)
{
	const char *dir = getenv("RQSPIN_PROGS_DIR");
	char exe[PATH_MAX];
	ssize_t len;

	/* A folder that was asked for is the only one looked at. */
	if (dir)
		return object_in(dir, "", name);
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len <= 0)
		return NULL;
	exe[len] = 0;
	dir = dirname(exe);
	return object_in(dir, "/bpf/progs", name) ?: object_in(dir, INSTALLED, name);
}
