// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>
#include <rqspin/event.h>

#include "progs/sample.h"
#include "bpf/replay.skel.h"
#include "replay/builtin.h"

static const char *builtin_program(const struct scene *s, unsigned int party)
{
	if (s->kind == SCENE_TIMEOUT)
		return party ? "replay_waiter" : "replay_owner";
	return s->kind == SCENE_AA ? "replay_aa" : "replay_cycle";
}

static void builtin_describe(const struct scene *s, struct sample_run *run)
{
	size_t used = 0;

	memset(run, 0, sizeof(*run));
	for (unsigned int i = 0; i < s->nr; i++)
		used += snprintf(run->roles + used, sizeof(run->roles) - used, "%s%s", i ? "," : "",
				 builtin_program(s, i));
	snprintf(run->expect, sizeof(run->expect), "%s", scene_expect(s));
	snprintf(run->shows, sizeof(run->shows), "replay of a failure of kind %s", s->kind_text);
	run->rounds = scene_rounds(s);
}

/* Where a section's bytes are in the file; 0: there is no such section of that size. */
static size_t section_offset(Elf *elf, const char *wanted, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			return 0;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, wanted))
			return header.sh_size == size ? header.sh_offset : 0;
	}
	return 0;
}

static int set_run(void *image, size_t size, const struct sample_run *run)
{
	size_t offset = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(image, size);
	if (elf)
		offset = section_offset(elf, SAMPLE_RUN_SECTION, sizeof(*run));
	elf_end(elf);
	if (!offset)
		return -ENOEXEC;
	memcpy((char *)image + offset, run, sizeof(*run));
	return 0;
}

int builtin_object(const struct scene *s, void **image, size_t *size)
{
	const void *bytes = replay_bpf__elf_bytes(size);
	struct sample_run *run = malloc(sizeof(*run));
	int err = -ENOMEM;

	*image = malloc(*size);
	if (*image && run) {
		memcpy(*image, bytes, *size);
		builtin_describe(s, run);
		err = set_run(*image, *size, run);
	}
	free(run);
	if (!err)
		return 0;
	free(*image);
	*image = NULL;
	return err;
}
