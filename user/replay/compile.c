// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/helper.h"
#include "base/log.h"
#include "replay/compile.h"

#define SECONDS	 120
#define OLDEST	 18 /* version */
#define ARGS_MAX 32

/**
 * struct command - how clang is called
 * @clang: its path
 * @words: COMPILE_FLAGS, cut into words
 * @include: -I
 * @system: -idirafter: the headers of the kernel for this machine
 * @argv: the whole command line
 * @nr: number of words in @argv
 */
struct command {
	char clang[PATH_MAX], words[sizeof(COMPILE_FLAGS)];
	char include[PATH_MAX + 2], system[PATH_MAX];
	char *argv[ARGS_MAX];
	int nr;
};

/* Finds clang as the folder's Makefile does. */
static bool find_clang(char path[PATH_MAX])
{
	const char *wanted = getenv("CLANG");
	char name[16];

	if (wanted && *wanted)
		return helper_find(wanted, path);
	for (int version = OLDEST; version < 100; version++) {
		snprintf(name, sizeof(name), "clang-%d", version);
		if (helper_find(name, path))
			return true;
	}
	return helper_find("clang", path);
}

static bool begin_command(struct command *c, const char *include)
{
	struct utsname machine;
	char *rest = NULL;

	*c = (struct command){ .words = COMPILE_FLAGS };
	if (!find_clang(c->clang) || uname(&machine))
		return false;
	c->argv[c->nr++] = c->clang;
	for (char *word = strtok_r(c->words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		c->argv[c->nr++] = word;
	snprintf(c->include, sizeof(c->include), "-I%s", include);
	snprintf(c->system, sizeof(c->system), "/usr/include/%s-linux-gnu", machine.machine);
	c->argv[c->nr++] = c->include;
	c->argv[c->nr++] = "-idirafter";
	c->argv[c->nr++] = c->system;
	return true;
}

/* Runs clang with the arguments in @last after the others. Returns its exit status. */
static int command_run(struct command *c, struct helper *h, char *const last[])
{
	int nr = c->nr;

	for (int i = 0; last[i]; i++)
		c->argv[nr++] = last[i];
	c->argv[nr] = NULL;
	h->argv = c->argv;
	h->seconds = SECONDS;
	return helper_run(h);
}

/*
 * Quiet, because missing headers of libbpf, or ours, are not an error: a machine need not have
 * them.
 */
static bool can_compile(struct command *c)
{
	static const char text[] = "#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\n"
				   "#include <rqspin/event.h>\n";
	char *const last[] = { "-x", "c", "-fsyntax-only", "-", NULL };
	struct helper h = { .quiet = true };
	FILE *in = tmpfile();
	int ret = -EIO;

	if (in && fputs(text, in) >= 0 && !fflush(in)) {
		rewind(in);
		h.in = fileno(in);
		ret = command_run(c, &h, last);
	}
	if (in)
		fclose(in);
	return !ret;
}

static int read_image(int fd, void **image, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	*image = malloc(st.st_size + 1);
	if (!*image)
		return -ENOMEM;
	*size = st.st_size;
	if (pread(fd, *image, *size, 0) == st.st_size && *size > SELFMAG &&
	    !memcmp(*image, ELFMAG, SELFMAG))
		return 0;
	return -ENOEXEC;
}

/* Through a file in memory: if clang is killed, no half object is left in the folder. */
static int compile_source(struct command *c, int dir, void **image, size_t *size)
{
	char *const last[] = { "-c", FOLDER_SOURCE, "-o", "-", NULL };
	int fd = memfd_create(FOLDER_SOURCE, MFD_CLOEXEC), err;
	struct helper h = { .dir = dir, .out = fd };

	if (fd < 0)
		return -errno;
	err = command_run(c, &h, last);
	if (err == -ETIMEDOUT)
		pr_warn("%s did not end within %d s", c->clang, SECONDS);
	err = err ? -ENOEXEC : read_image(fd, image, size);
	close(fd);
	return err;
}

int compile_image(int dir, const char *include, void **image, size_t *size)
{
	struct command *c = malloc(sizeof(*c));
	int err = -ENOENT;

	*image = NULL;
	if (c && begin_command(c, include) && can_compile(c))
		err = compile_source(c, dir, image, size);
	free(c);
	return err;
}
