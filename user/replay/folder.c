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

#include "base/log.h"
#include "base/whole_file.h"
#include "replay/compile.h"
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

#define NR_HEADERS	(sizeof(headers) / sizeof(headers[0]))
#define DEFAULT_INCLUDE "/usr/local/include"
#define FOLDER_NAME	"replay.bpf."

/* An open folder, because its name may come to mean another one. */
struct folder {
	const char *dir;
	int fd;
};

static bool is_ours(const char *name)
{
	static const char *const others[] = { ".", "..", "Makefile", FOLDER_SOURCE, FOLDER_OBJECT };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name, others[i]))
			return true;
	for (size_t i = 0; i < NR_HEADERS; i++)
		if (!strcmp(name, headers[i].name))
			return true;
	return whole_file_is_temp(name);
}

/* Files that no replay wrote are not replaced: a Makefile may be somebody else's. */
static int check_files(const char *dir, DIR *list)
{
	bool ours = false, any = false;
	struct dirent *file;

	while ((file = readdir(list))) {
		if (!is_ours(file->d_name)) {
			pr_err("%s: there is something else in it: %s; name a new folder", dir,
			       file->d_name);
			return -EEXIST;
		}
		/* The object is written first, so every replay has one of these. */
		ours |= !strncmp(file->d_name, FOLDER_NAME, strlen(FOLDER_NAME));
		any |= *file->d_name != '.';
	}
	if (!any || ours)
		return 0;
	pr_err("%s: not empty, and not the folder of a replay; choose a new one", dir);
	return -EEXIST;
}

/* Any user who may write into the folder chooses what is compiled, and what runs afterwards. */
static int check_owner(const char *dir, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid())
		pr_err("%s: the folder belongs to uid %u, not to you (uid %u); name a new one", dir,
		       st.st_uid, geteuid());
	else if (st.st_mode & 022)
		pr_err("%s: others may write into the folder (mode %o); name a new one, or take "
		       "that away with 'chmod go-w'",
		       dir, st.st_mode & 0777);
	else
		return 0;
	return -EPERM;
}

static int check_folder(const char *dir, int fd)
{
	int err = check_owner(dir, fd), copy = err ? -1 : dup(fd);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);

	if (err)
		return err;
	if (!list) {
		err = -errno;
		pr_err("%s: %s", dir, strerror(-err));
		if (copy >= 0)
			close(copy);
		return err;
	}
	err = check_files(dir, list);
	closedir(list);
	return err;
}

/* All later steps use the open folder, so it does not matter what becomes of its name. */
static int open_folder(const char *dir)
{
	int err = mkdir(dir, 0755) && errno != EEXIST ? -errno : 0;
	int fd = err ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		err = err ?: -errno;
		pr_err("%s: %s%s", dir, strerror(-err),
		       whole_file_link(dir) ? ": it is a link; name the folder itself" : "");
		return err;
	}
	err = check_folder(dir, fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int folder_put(const struct folder *f, const char *name, const void *text, size_t size)
{
	int err = whole_file_replace_at(f->fd, name, text, size);

	if (err)
		pr_err("%s/%s: %s", f->dir, name, strerror(-err));
	return err;
}

/*
 * Where the headers are, seen from the binary's folder: installed and in build/, then in a folder
 * of build/.
 */
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
		/* A Makefile has no way to write a line end in a name. */
		return realpath(path, real) && !strchr(real, '\n');
	}
	return false;
}

/* A Makefile gives "$" and "#" a meaning in any name. */
static void put_include(FILE *out, const char *include)
{
	for (const char *c = include; *c; c++) {
		if (*c == '$' || *c == '#')
			putc(*c == '$' ? '$' : '\\', out);
		putc(*c, out);
	}
}

/* Writes the template and replaces the words between @ in it. */
static void put_template(FILE *out, const char *include)
{
	for (const char *c = makefile; *c;) {
		if (!strncmp(c, "@INCLUDE@", 9)) {
			put_include(out, include);
			c += 9;
		} else if (!strncmp(c, "@FLAGS@", 7)) {
			fputs(COMPILE_FLAGS, out);
			c += 7;
		} else {
			putc(*c++, out);
		}
	}
}

static int put_makefile(const struct folder *f, const char *include)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (out)
		put_template(out, include);
	if (!out || fclose(out)) {
		pr_err("out of memory");
		err = -ENOMEM;
	} else {
		err = folder_put(f, "Makefile", text, size);
	}
	free(text);
	return err;
}

/*
 * For make the object must be older than the sources. Writing it first is not enough: file systems
 * count time in ticks of some milliseconds, some of two seconds.
 */
static int put_object(const struct folder *f, const struct folder_object *object)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - 60 } };
	int err = folder_put(f, FOLDER_OBJECT, object->image, object->size);

	if (err || !utimensat(f->fd, FOLDER_OBJECT, times, AT_SYMLINK_NOFOLLOW))
		return err;
	err = -errno;
	pr_err("%s/" FOLDER_OBJECT ": %s", f->dir, strerror(-err));
	return err;
}

static int put_sources(const struct folder *f, const char *source, const char *include)
{
	int err = 0;

	for (size_t i = 0; i < NR_HEADERS && !err; i++)
		err = folder_put(f, headers[i].name, headers[i].text, strlen(headers[i].text));
	if (!err)
		err = put_makefile(f, include);
	return err ?: folder_put(f, FOLDER_SOURCE, source, strlen(source));
}

/* If the source cannot be compiled, the built-in object stays. */
static int put_compiled(const struct folder *f, const char *include, bool *compiled)
{
	void *image = NULL;
	size_t size;
	int err = compile_image(f->fd, include, &image, &size);

	if (err == -ENOEXEC)
		pr_warn("%s/" FOLDER_SOURCE " cannot be compiled", f->dir);
	*compiled = !err;
	err = err ? 0 : folder_put(f, FOLDER_OBJECT, image, size);
	free(image);
	return err;
}

int folder_write(const char *dir, const char *source, const struct folder_object *object,
		 bool *compiled)
{
	struct folder f = { .dir = dir, .fd = open_folder(dir) };
	char found[PATH_MAX];
	const char *include = getenv("RQSPIN_INCLUDE");
	int err;

	if (f.fd < 0)
		return f.fd;
	if (!find_include(found))
		strcpy(found, DEFAULT_INCLUDE);
	err = put_object(&f, object) ?: put_sources(&f, source, found);
	if (!err)
		err = put_compiled(&f, include && *include ? include : found, compiled);
	close(f.fd);
	return err;
}
