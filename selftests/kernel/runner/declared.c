// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/capability.h"
#include "kernel/runner/declared.h"
#include "kernel/runner/list.h"
#include "kernel/runner/locks.h"

#define TAG_PREFIX "rqspin_test:"
#define MAX_TEXTS  4
#define LOG_SIZE   (4 << 20)

struct declared {
	const char *texts[MAX_TEXTS]; /* the log must contain all */
	bool is_regex[MAX_TEXTS];
	int nr_texts;
	bool accepted;
	bool has_retval;
	int retval;
	const char *needs, *needs_tracepoint, *hole;
	const char *accepted_if; /* capability */
	char unless[32];	 /* capability */
	const char *unless_text; /* text of the refusal without the capability "unless" */
};

/* The value of a tag "rqspin_test:KEY=VALUE" if it has this key. */
static const char *tag_value(const char *tag, const char *key)
{
	size_t len = strlen(key);

	tag += strlen(TAG_PREFIX);
	return !strncmp(tag, key, len) && tag[len] == '=' ? tag + len + 1 : NULL;
}

/* "CAPABILITY:TEXT" */
static int parse_unless(struct declared *d, const char *value)
{
	const char *colon = strchr(value, ':');
	size_t len = colon ? colon - value : 0;

	if (!len || len >= sizeof(d->unless))
		return -EINVAL;
	memcpy(d->unless, value, len);
	d->unless_text = colon + 1;
	return 0;
}

static int parse_tag(struct declared *d, const char *tag)
{
	const char *value;

	if ((value = tag_value(tag, "refused")) || (value = tag_value(tag, "refused_re"))) {
		if (d->nr_texts == MAX_TEXTS)
			return -E2BIG;
		d->is_regex[d->nr_texts] = !tag_value(tag, "refused");
		d->texts[d->nr_texts++] = value;
	} else if (tag_value(tag, "accepted")) {
		d->accepted = true;
	} else if ((value = tag_value(tag, "returns"))) {
		d->accepted = d->has_retval = true;
		d->retval = atoi(value);
	} else if ((value = tag_value(tag, "accepted_if"))) {
		d->accepted_if = value;
	} else if ((value = tag_value(tag, "unless"))) {
		return parse_unless(d, value);
	} else if ((value = tag_value(tag, "needs"))) {
		d->needs = value;
	} else if ((value = tag_value(tag, "needs_tracepoint"))) {
		d->needs_tracepoint = value;
	} else if ((value = tag_value(tag, "hole"))) {
		d->hole = value;
	} else {
		return -EINVAL;
	}
	return 0;
}

/* Name of the function with tag @id; NULL if it is no tag of ours. */
static const char *tagged_function(const struct btf *btf, __u32 id, const char **tag)
{
	const struct btf_type *t = btf__type_by_id(btf, id), *func;

	if (!btf_is_decl_tag(t))
		return NULL;
	*tag = btf__name_by_offset(btf, t->name_off);
	func = btf__type_by_id(btf, t->type);
	if (strncmp(*tag, TAG_PREFIX, strlen(TAG_PREFIX)) || !btf_is_func(func))
		return NULL;
	return btf__name_by_offset(btf, func->name_off);
}

static bool is_listed(const struct test_list *list, const char *object, const char *prog)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct test_entry *e = &list->entries[i];

		if (e->prog && !strcmp(e->prog, prog) && !strcmp(e->object, object))
			return true;
	}
	return false;
}

static int collect_object(struct test_list *list, const char *path, const char *suite)
{
	struct btf *btf = btf__parse_elf(path, NULL);
	struct test_entry *e;
	const char *prog, *tag;
	int err = 0;
	__u32 id;

	if (!btf)
		return -errno;
	for (id = 1; id < btf__type_cnt(btf); id++) {
		prog = tagged_function(btf, id, &tag);
		if (!prog || is_listed(list, path, prog))
			continue;
		e = list_add(list, suite, prog);
		err = e ? 0 : -ENOMEM;
		if (err)
			break;
		e->object = strdup(path);
		e->prog = strdup(prog);
	}
	btf__free(btf);
	return err;
}

int declared_collect(struct test_list *list, const char *progs_dir)
{
	char path[4096], suite[64];
	struct dirent *d;
	DIR *dir = opendir(progs_dir);
	size_t len;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (d = readdir(dir))) {
		len = strlen(d->d_name);
		if (len < 7 || len > 60 || strcmp(d->d_name + len - 6, ".bpf.o"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", progs_dir, d->d_name);
		snprintf(suite, sizeof(suite), "%.*s", (int)len - 6, d->d_name);
		err = collect_object(list, path, suite);
	}
	closedir(dir);
	return err;
}

static int read_tags(const struct btf *btf, const char *prog, struct declared *d)
{
	const char *name, *tag;
	__u32 id;

	for (id = 1; id < btf__type_cnt(btf); id++) {
		name = tagged_function(btf, id, &tag);
		if (!name || strcmp(name, prog))
			continue;
		if (!CHECK(!parse_tag(d, tag), "%s: bad tag \"%s\"", prog, tag))
			return -EINVAL;
	}
	if (!CHECK(d->accepted || d->nr_texts, "%s: neither refused nor accepted", prog))
		return -EINVAL;
	return 0;
}

static bool log_holds(const char *log, const char *text, bool is_regex)
{
	regex_t re;
	bool found;

	if (!is_regex)
		return strstr(log, text);
	if (!CHECK(!regcomp(&re, text, REG_EXTENDED | REG_NOSUB), "bad expression \"%s\"", text))
		return false;
	found = !regexec(&re, log, 0, NULL, 0);
	regfree(&re);
	return found;
}

static void show_log(const char *log)
{
	size_t len = strlen(log), max = 3000;

	if (test_verbosity())
		test_note("%s", len > max ? log + len - max : log);
}

static void check_refused(const struct declared *d, int err, const char *log)
{
	int i, failures = 0;

	if (!err && d->hole && kernel_shares_hole(d->hole))
		return;
	if (!CHECK(err, "the verifier accepted a program that it must refuse")) {
		show_log(log);
		return;
	}
	for (i = 0; i < d->nr_texts; i++)
		failures +=
			!CHECK(log_holds(log, d->texts[i], d->is_regex[i]),
			       "refused (%s), but not with \"%s\"", strerror(-err), d->texts[i]);
	if (failures)
		show_log(log);
}

static void check_accepted(const struct declared *d, const struct bpf_object *obj,
			   const struct bpf_program *prog, int err, const char *log)
{
	int retval;

	if (!CHECK(!err, "refused: %s", strerror(-err))) {
		show_log(log);
		return;
	}
	if (!d->has_retval)
		return;
	err = prog_run(prog, &retval);
	if (!CHECK(!err, "cannot run: %s", strerror(-err)))
		return;
	CHECK_EQ(retval, d->retval, bpf_program__name(prog));
	check_locks_free(obj);
}

/* Load only the wanted program, independent of the SEC() of the others. */
static struct bpf_program *select_prog(struct bpf_object *obj, const char *name)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj)
		bpf_program__set_autoload(prog, !strcmp(bpf_program__name(prog), name));
	return bpf_object__find_program_by_name(obj, name);
}

/* The kernel's capabilities determine exactly one expected verdict. */
static void apply_capabilities(struct declared *d)
{
	if (d->accepted_if && kernel_can(d->accepted_if)) {
		d->accepted = true;
		d->nr_texts = 0;
	}
	if (d->unless_text && !kernel_can(d->unless)) {
		d->texts[0] = d->unless_text;
		d->is_regex[0] = false;
		d->nr_texts = 1;
		d->accepted = d->has_retval = false;
		d->hole = NULL;
	}
}

static bool lacks_need(const struct declared *d)
{
	if (d->needs && !kernel_has_kfunc(d->needs)) {
		test_skip("this kernel has no %s kfunc", d->needs);
		return true;
	}
	if (d->needs_tracepoint && !kernel_has_tracepoint(d->needs_tracepoint)) {
		test_skip("this kernel has no tracepoint %s", d->needs_tracepoint);
		return true;
	}
	return false;
}

void declared_run(const struct test_entry *e)
{
	struct declared d = {};
	struct bpf_object *obj = bpf_object__open_file(e->object, NULL);
	struct bpf_program *prog;
	char *log = calloc(1, LOG_SIZE);
	int err;

	if (!CHECK(obj && log, "%s: %s", e->object, strerror(errno)))
		goto free_log;
	prog = select_prog(obj, e->prog);
	if (!CHECK(prog, "%s: no program %s", e->object, e->prog))
		goto close;
	if (read_tags(bpf_object__btf(obj), e->prog, &d))
		goto close;
	if (lacks_need(&d))
		goto close;
	apply_capabilities(&d);
	bpf_program__set_log_buf(prog, log, LOG_SIZE);
	bpf_program__set_log_level(prog, 2);
	err = bpf_object__load(obj);
	if (d.accepted && !(d.nr_texts && err))
		check_accepted(&d, obj, prog, err, log);
	else
		check_refused(&d, err, log);
close:
	bpf_object__close(obj);
free_log:
	free(log);
}
