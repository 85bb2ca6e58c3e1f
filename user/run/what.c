// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "run/progs.h"
#include "run/what.h"
#include "run/samples.h"
#include "base/suggest.h"

static bool is_source(const char *what)
{
	size_t len = strlen(what);

	return len > 2 && !strcmp(what + len - 2, ".c");
}

bool what_is_path(const char *what)
{
	size_t len = strlen(what);

	return strchr(what, '/') || (len > 2 && !strcmp(what + len - 2, ".o")) || is_source(what);
}

int what_check_object(const char *path)
{
	struct stat st;

	if (is_source(path)) {
		pr_err("%s is C source: compile it first (clang -g -O2 -target bpf -mcpu=v3 -c)",
		       path);
		return -EINVAL;
	}
	if (stat(path, &st)) {
		pr_err("%s: %s", path, strerror(errno));
		return -ENOENT;
	}
	if (S_ISDIR(st.st_mode)) {
		pr_err("%s is a directory: name one BPF object in it", path);
		return -EINVAL;
	}
	/* libbpf reads the file more than once; on a pipe it would wait for more data. */
	if (!S_ISREG(st.st_mode)) {
		pr_err("%s: not a regular file", path);
		return -EINVAL;
	}
	return 0;
}

static int tell_nothing(const char *path)
{
	pr_err("%s: there is no program in it", path);
	return -ENOEXEC;
}

static char *only_program(struct bpf_object *obj)
{
	struct bpf_program *prog = bpf_object__next_program(obj, NULL);

	if (!prog || bpf_object__next_program(obj, prog))
		return NULL;
	return strdup(bpf_program__name(prog));
}

int what_only_role(const char *path, char **name)
{
	struct bpf_object *obj;
	char names[512] = "";
	int sig;

	obj = progs_open(path, &sig);
	if (sig) {
		pr_err("%s: %s", path, rehearse_text(sig));
		return -ENOEXEC;
	}
	*name = obj ? only_program(obj) : NULL;
	if (obj)
		progs_names(obj, names, sizeof(names));
	bpf_object__close(obj);
	if (*name)
		return 0;
	if (obj && !names[0])
		return tell_nothing(path);
	pr_err("%s: say which programs to run with --roles%s%s", path, names[0] ? "; it has: " : "",
	       names);
	return -EINVAL;
}

int what_unknown_sample(const char *name)
{
	struct suggest s = { .typed = name };

	for (size_t i = 0; i < nr_samples; i++)
		suggest_try(&s, samples[i].name);
	if (s.best)
		pr_err("no sample '%s'; did you mean '%s'? ('rqspin list' shows all)", name,
		       s.best);
	else
		pr_err("no sample '%s'; 'rqspin list' shows them", name);
	return -EINVAL;
}
