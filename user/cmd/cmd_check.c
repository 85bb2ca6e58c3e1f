// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../base/whole_file.h"
#include "../check/bounds.h"
#include "../check/count_opts.h"
#include "../check/loaded.h"
#include "../check/result.h"
#include "../check/view_dot.h"
#include "../check/view_json.h"
#include "../check/view_sarif.h"
#include "../check/view_text.h"
#include "cmd.h"
#include "../kernel/btffile.h"
#include "../kernel/probe.h"
#include "base/version.h"

enum { KEY_LOADED = 0x1000, KEY_DOT, KEY_SARIF, KEY_BTF };

struct check_cmd {
	struct load_opts load;
	struct count_opts count;
	bool json, sarif, loaded;
	const char *dot;
	const char *btf; /* NULL: this kernel's BTF */
	char **objects;
	int nr_objects;
};

static const struct argp_option options[] = {
	{ "loaded", KEY_LOADED, NULL, 0,
	  "Check the programs that are in the kernel, alone or with those of objects", 1 },
	{ "dot", KEY_DOT, "FILE", 0, "Write the order of locks to FILE, as a graph for graphviz",
	  1 },
	{ "btf", KEY_BTF, "FILE", 0,
	  "Judge locks inside maps as those of the kernel whose " BTFFILE_OWN " or vmlinux this is",
	  1 },
	{ "sarif", KEY_SARIF, NULL, 0, "Print the findings as SARIF 2.1.0, for code hosts", 1 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &opts_common, 0, NULL, 0 }, { &load_argp, 0, NULL, 0 }, { &count_argp, 0, NULL, 0 }, { 0 }
};

static error_t cmd_check_parse(int key, char *arg, struct argp_state *state)
{
	struct check_cmd *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->json;
		state->child_inputs[1] = &c->load;
		state->child_inputs[2] = &c->count;
		return 0;
	case KEY_LOADED:
		c->loaded = true;
		return 0;
	case KEY_DOT:
		c->dot = arg;
		return 0;
	case KEY_BTF:
		c->btf = arg;
		return 0;
	case KEY_SARIF:
		c->sarif = true;
		return 0;
	case ARGP_KEY_ARGS:
		c->objects = state->argv + state->next;
		c->nr_objects = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!c->nr_objects && !c->loaded)
			opts_error(state,
				   "which object? Name one or more files (*.bpf.o), or --loaded");
		if (c->json && c->sarif)
			opts_error(state, "--json and --sarif exclude each other");
		if (c->dot && !whole_file_plain(c->dot))
			opts_error(state, "--dot %s: not a file", c->dot);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_check_parse,
	.children = children,
	.args_doc = "OBJECT...\n--loaded [OBJECT...]",
	.doc = "Find possible deadlocks between BPF programs before anything runs: which locks they "
	       "take while they hold which, over all of the objects, and where that goes in a "
	       "circle; and which programs can run on top of a map operation that holds a lock inside "
	       "its map, and want that lock.\v"
	       "The programs are loaded, read back and unloaded; none is attached or run, and "
	       "nothing is pinned. Lines look like those of a compiler: FILE:LINE: warning: "
	       "MESSAGE [KIND]. Undecided cases are notes; they do not affect the exit status "
	       "without --error. Exit status 0: no finding; 10: at least one; 4: none, but a "
	       "program has too many paths for the budget of work, or the verifier needs too "
	       "long for it; 1 to 3: something could not be looked at. What it can see and what "
	       "not: check.md.",
};

/* If the running kernel has no BTF, the locks of its maps stay unknown. */
static int read_maplocks(const struct check_cmd *c, struct check_result *r)
{
	struct btf *btf = c->btf ? btffile_read(c->btf) : btf__load_vmlinux_btf();

	if (!btf && c->btf)
		return -EIO;
	maplocks_read(btf, &r->maplocks);
	btf__free(btf);
	/* All kernels with BPF have hash maps. */
	if (!c->btf || r->maplocks.kinds[MAPLOCK_BUCKET] != MAPLOCK_UNKNOWN)
		return 0;
	pr_err("--btf %s: this is not a kernel's BTF, as it has no locks of hash maps: give a copy "
	       "of that kernel's " BTFFILE_OWN ", or its vmlinux",
	       c->btf);
	return -EIO;
}

static bool have_something(const struct check_result *r)
{
	return r->set.nr_progs || r->refusals.nr;
}

/* Goes on after an object that cannot be loaded; *missing is the first such error. */
static int load_all(struct check_cmd *c, struct check_result *r, int *missing)
{
	int err = 0;

	*missing = c->loaded ? check_loaded(&r->set) : 0;
	for (int i = 0; !err && i < c->nr_objects; i++) {
		int ret = check_load(c->objects[i], &c->load, &r->set, &r->refusals);

		*missing = *missing ?: ret;
		if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
			err = ret;
	}
	*missing = *missing ?: err ? 0 : check_load_end(&c->load);
	return *missing && !have_something(r) ? *missing : err;
}

static void check_print_summary(const struct check_result *r)
{
	size_t found = findings_count(&r->findings, false),
	       notes = findings_count(&r->findings, true);

	pr_info("%zu program%s, %zu acquisition%s, %zu finding%s, %zu note%s", r->set.nr_progs,
		r->set.nr_progs == 1 ? "" : "s", r->record.nr_sites,
		r->record.nr_sites == 1 ? "" : "s", found, found == 1 ? "" : "s", notes,
		notes == 1 ? "" : "s");
}

/*
 * Without this line, exit status 0 would look like an answer although two locks may be the same
 * one.
 */
static void tell_undecided(const struct findings *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		nr += !f->all[i].known && f->all[i].severity == FINDING_NOTE &&
		      !strcmp(f->all[i].kind, "undecided");
	if (nr)
		pr_info("%zu undecided: --error=undecided counts %s", nr, nr == 1 ? "it" : "them");
}

static void tell_map_fails(const struct findings *f)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->nr; i++)
		nr += !f->all[i].known && f->all[i].severity == FINDING_NOTE &&
		      !strcmp(f->all[i].kind, "map-fails");
	if (nr)
		pr_info("%zu map operation%s that can fail: --error=map-fails counts %s", nr,
			nr == 1 ? "" : "s", nr == 1 ? "it" : "them");
}

static void tell_known(const struct check_result *r, size_t gone)
{
	size_t known = findings_known(&r->findings);

	if (known || gone)
		pr_info("%zu known, in the baseline; %zu of it found no longer", known, gone);
}

/* Sums only programs that take locks. */
static struct bounds sum_rough(const struct check_result *r, size_t *nr)
{
	struct bounds sum = {};

	*nr = 0;
	for (size_t i = 0; i < r->set.nr_progs; i++) {
		const struct bounds *b = &r->bounds[i];
		size_t site = 0;

		while (site < r->record.nr_sites && r->record.sites[site].prog != i)
			site++;
		if (site == r->record.nr_sites || !(b->conditions + b->joined + b->deep))
			continue;
		sum.conditions += b->conditions;
		sum.joined += b->joined;
		sum.deep += b->deep;
		++*nr;
	}
	return sum;
}

static void tell_rough(const struct check_result *r)
{
	size_t nr;
	struct bounds sum = sum_rough(r, &nr);

	/* Without findings the caveat is noise. */
	if (nr && r->findings.nr)
		pr_info("values were approximated in %zu program%s (%lu comparisons, %lu states, "
			"%lu numbers): no path was left out, but a finding that depends on them may "
			"be a false one",
			nr, nr == 1 ? "" : "s", sum.conditions, sum.joined, sum.deep);
}

static int check_print_result(const struct check_cmd *c, const struct check_result *r, size_t gone)
{
	int err = c->dot ? check_write_dot(r, c->dot) : 0;

	if (err)
		pr_err("--dot %s: %s", c->dot, strerror(-err));
	if (c->json)
		check_print_json(r);
	else if (c->sarif)
		check_print_sarif(r, RQSPIN_VERSION);
	else
		check_print_text(r);
	/* If stdout and stderr are one pipe, the findings come before the summary. */
	if (out_failed(out_flush()))
		err = -EIO;
	check_print_summary(r);
	tell_undecided(&r->findings);
	tell_map_fails(&r->findings);
	tell_known(r, gone);
	tell_rough(r);
	return err == -EINVAL ? -EIO : err;
}

static bool is_spent(const struct check_result *r)
{
	for (size_t i = 0; i < r->set.nr_progs; i++)
		if (r->bounds[i].spent)
			return true;
	for (size_t i = 0; i < r->refusals.nr; i++)
		if (r->refusals.all[i].err == ETIME)
			return true;
	return false;
}

/* The exit status if every object could be loaded. */
static int result_code(const struct check_result *r)
{
	if (findings_count(&r->findings, false))
		return EXIT_EVENT;
	return is_spent(r) ? EXIT_LOST : EXIT_OK;
}

static int cmd_check_run(int argc, char **argv)
{
	struct check_result r = {};
	struct check_cmd c = {};
	int err, code, missing = 0;
	size_t gone;

	argp_parse(&argp, argc, argv, 0, NULL, &c);
	if (!probe_allowed())
		return EXIT_UNSUPPORTED;
	err = read_maplocks(&c, &r);
	err = err ?: load_all(&c, &r, &missing);
	err = err ?: check_all(&r);
	err = err ?: count_apply(&c.count, &r.findings, &gone);
	err = err ?: check_print_result(&c, &r, gone);
	err = err ?: missing;
	code = err ? cmd_exit_code(err) : result_code(&r);
	check_result_free(&r);
	load_opts_free(&c.load);
	return code;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "find possible deadlocks before programs run",
	.argp = &argp,
	.run = cmd_check_run,
};
