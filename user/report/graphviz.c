// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/graphviz.h"

extern char **environ;

/* A file, so that neither side waits for the other to read. */
static FILE *written(const json_t *graphs)
{
	FILE *in = tmpfile();

	for (size_t i = 0; in && i < json_array_size(graphs); i++)
		fputs(json_string_value(json_object_get(json_array_get(graphs, i), "dot")), in);
	if (!in || (!fflush(in) && !fseek(in, 0, SEEK_SET)))
		return in;
	fclose(in);
	return NULL;
}

static int spawn_dot(FILE *in, FILE *out, pid_t *pid)
{
	char *const argv[] = { "dot", "-Tsvg", NULL };
	posix_spawn_file_actions_t files;
	int err;

	err = posix_spawn_file_actions_init(&files);
	if (err)
		return -err;
	posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
	err = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return -err;
}

static int run_dot(FILE *in, FILE *out)
{
	pid_t pid;
	int status, err = spawn_dot(in, out, &pid);

	if (err)
		return err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

static char *all_of(FILE *f)
{
	char *text = NULL;
	size_t size;
	FILE *copy = open_memstream(&text, &size);
	int c;

	rewind(f);
	while (copy && (c = getc(f)) != EOF)
		putc(c, copy);
	if (!copy || fclose(copy))
		return NULL;
	return text;
}

/* One document for each graph, in order: what is before <svg is for files of their own. */
static int hand_out(json_t *graphs, const char *text)
{
	static const char end[] = "</svg>";

	for (size_t i = 0; i < json_array_size(graphs); i++) {
		const char *from = strstr(text, "<svg"), *to = from ? strstr(from, end) : NULL;

		if (!to)
			return -EIO;
		text = to + strlen(end);
		json_object_set_new(json_array_get(graphs, i), "svg",
				    json_stringn(from, text - from));
	}
	return 0;
}

int graphviz_draw(json_t *graphs)
{
	FILE *in, *out;
	char *text = NULL;
	int err = -EIO;

	if (!json_array_size(graphs))
		return 0;
	in = written(graphs);
	out = tmpfile();
	if (in && out)
		err = run_dot(in, out);
	if (!err) {
		text = all_of(out);
		err = text ? hand_out(graphs, text) : -ENOMEM;
	}
	free(text);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return err;
}
