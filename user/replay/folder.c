// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/log.h"
#include "base/whole_file.h"
#include "replay/folder.h"

static const char makefile[] =
#include "user/replay/folder.mk.in.inc"
	;
static const char replay_h[] =
#include "user/replay/replay.bpf.h.inc"
	;
static const char cycle_h[] =
#include "user/replay/cycle.bpf.h.inc"
	;
static const char sample_bpf_h[] =
#include "user/replay/sample.bpf.h.inc"
	;
static const char sample_h[] =
#include "user/replay/sample.h.inc"
	;

static const struct {
	const char *name, *text;
} headers[] = {
	{ "replay.bpf.h", replay_h },
	{ "cycle.bpf.h", cycle_h },
	{ "sample.bpf.h", sample_bpf_h },
	{ "sample.h", sample_h },
};

#define NR_HEADERS (sizeof(headers) / sizeof(headers[0]))
#define INCLUDE	   "@INCLUDE@"

static bool is_ours(const char *name)
{
	static const char *const others[] = { ".", "..", "Makefile", "replay.bpf.c",
					      FOLDER_OBJECT };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return true;
	for (size_t i = 0; i < NR_HEADERS; i++)
		if (!strcmp(name, headers[i].name))
			return true;
	return false;
}

/* Nothing of anybody else's is replaced: a Makefile may well be. */
static int check_files(const char *dir, DIR *list)
{
	bool source = false, any = false;
	struct dirent *file;

	while ((file = readdir(list))) {
		if (!is_ours(file->d_name)) {
			pr_err("%s: there is something else in it: %s; name a new folder", dir,
			       file->d_name);
			return -EEXIST;
		}
		source |= !strcmp(file->d_name, "replay.bpf.c");
		any |= *file->d_name != '.';
	}
	if (!any || source)
		return 0;
	pr_err("%s: it is no folder of a replay, and not empty; name a new one", dir);
	return -EEXIST;
}

static int prepare(const char *dir)
{
	DIR *list;
	int err;

	if (!mkdir(dir, 0777))
		return 0;
	err = -errno;
	list = err == -EEXIST ? opendir(dir) : NULL;
	if (!list) {
		pr_err("%s: %s", dir, strerror(err == -EEXIST ? errno : -err));
		return err;
	}
	err = check_files(dir, list);
	closedir(list);
	return err;
}

static int put(const char *dir, const char *name, const void *text, size_t size)
{
	char path[PATH_MAX];
	int err = -ENAMETOOLONG;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path))
		err = whole_file_replace(path, text, size);
	if (err)
		pr_err("%s/%s: %s", dir, name, strerror(-err));
	return err;
}

/* Seen from the binary's folder: installed and in build/, in a folder of build/. */
static bool find_include(char real[PATH_MAX])
{
	static const char *const places[] = { "/../include", "/../../include" };
	char exe[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *dir;

	exe[len < 0 ? 0 : len] = 0;
	dir = dirname(exe);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/rqspin/event.h", dir, places[i]);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "%s%s", dir, places[i]);
		return realpath(path, real);
	}
	return false;
}

static void put_include(FILE *out)
{
	char real[PATH_MAX];

	/* In a Makefile no name is safe from "$". */
	for (const char *c = find_include(real) ? real : "/usr/local/include"; *c; c++)
		fputs(*c == '$' ? "$$" : (char[]){ *c, 0 }, out);
}

static int put_makefile(const char *dir)
{
	const char *at = strstr(makefile, INCLUDE);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (out) {
		fwrite(makefile, 1, at - makefile, out);
		put_include(out);
		fputs(at + strlen(INCLUDE), out);
	}
	if (!out || fclose(out)) {
		pr_err("out of memory");
		err = -ENOMEM;
	} else {
		err = put(dir, "Makefile", text, size);
	}
	free(text);
	return err;
}

#define MAKE "exec make -s --no-print-directory -C \"$0\" "

/* In the folder, which the shell gets as $0. */
static int shell(const char *command, const char *dir)
{
	char *const argv[] = { "sh", "-c", (char *)command, (char *)dir, NULL };
	struct child c;
	int err = child_start(&c, argv);

	return err ? err : child_wait(&c);
}

/* What a compiler says is no data. */
static bool compile(const char *dir)
{
	if (shell(MAKE "can-compile >/dev/null 2>&1", dir))
		return false;
	if (!shell(MAKE FOLDER_OBJECT " >&2", dir))
		return true;
	pr_warn("%s/replay.bpf.c cannot be compiled", dir);
	return false;
}

/*
 * For make it must be older than the sources. To write it first is not enough: file systems count
 * time in ticks of some milliseconds, some of two seconds.
 */
static int put_object(const char *dir, const struct folder_object *object)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - 60 } };
	int err = put(dir, FOLDER_OBJECT, object->image, object->size);
	char path[PATH_MAX];

	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/%s", dir, FOLDER_OBJECT);
	if (utimensat(AT_FDCWD, path, times, 0)) {
		err = -errno;
		pr_err("%s: %s", path, strerror(-err));
	}
	return err;
}

int folder_write(const char *dir, const char *source, const struct folder_object *object,
		 bool *compiled)
{
	int err = prepare(dir);

	if (!err)
		err = put_object(dir, object);
	for (size_t i = 0; i < NR_HEADERS && !err; i++)
		err = put(dir, headers[i].name, headers[i].text, strlen(headers[i].text));
	if (!err)
		err = put_makefile(dir);
	if (!err)
		err = put(dir, "replay.bpf.c", source, strlen(source));
	if (!err)
		*compiled = compile(dir);
	return err;
}
