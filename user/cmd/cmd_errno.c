// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <bpf/btf.h>

#include "../base/log.h"
#include "../base/opts.h"
#include "cmd.h"
#include "../errors/table.h"
#include "../errors/words.h"
#include "../kernel/btffile.h"
#include "../kernel/maplocks.h"
#include "../output/errors_view.h"

enum { KEY_BTF = 0x1000 };

struct errno_cmd {
	bool json;
	const char *btf; /* NULL: this kernel's BTF */
	char *words[3];	 /* as typed: map type, operation, error */
	char type[ERROR_WORD], op[ERROR_WORD], error[ERROR_WORD];
};

static const struct argp_option options[] = {
	{ "btf", KEY_BTF, "FILE", 0,
	  "Explain it for the kernel whose " BTFFILE_OWN " or vmlinux this is", 1 },
	{ 0 },
};

static const struct argp_child children[] = { { &opts_common, 0, NULL, 0 }, { 0 } };

/* Joins the words as in "hash, lru_hash" and frees the list. */
static void words_join(json_t *list, char *buf, size_t size)
{
	size_t i, used = 0;
	json_t *word;

	*buf = 0;
	json_array_foreach(list, i, word) {
		if (used < size)
			used += snprintf(buf + used, size - used, "%s%s", i ? ", " : "",
					 json_string_value(word));
	}
	json_decref(list);
}

/* A usage error that ends with a list of the valid words. */
static void no_word(struct argp_state *state, const char *what, const char *typed,
		    const char *close, json_t *list)
{
	char known[512];

	words_join(list, known, sizeof(known));
	if (!typed)
		opts_error(state, "which %s? Known: %s", what, known);
	else if (close)
		opts_error(state, "no %s '%s'; did you mean '%s'? Known: %s", what, typed, close,
			   known);
	else
		opts_error(state, "no %s '%s'. Known: %s", what, typed, known);
}

static void check_words(struct argp_state *state, struct errno_cmd *e)
{
	const char *close = NULL;

	if (!e->words[0] || !error_type(e->words[0], e->type, &close))
		no_word(state, "map type", e->words[0], close, map_error_types());
	else if (!e->words[1] || !error_op(e->type, e->words[1], e->op, &close))
		no_word(state, "operation", e->words[1], close, map_error_ops(e->type));
	else if (e->words[2] && !error_name(e->words[2], e->error, &close))
		opts_error(
			state,
			"unknown error '%s'%s%s%s: give a name (EBUSY), a number (16, or 4294967280) "
			"or NULL",
			e->words[2], close ? "; did you mean '" : "", close ?: "",
			close ? "'" : "");
}

static error_t cmd_errno_parse(int key, char *arg, struct argp_state *state)
{
	struct errno_cmd *e = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &e->json;
		return 0;
	case KEY_BTF:
		e->btf = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num < 3)
			e->words[state->arg_num] = arg;
		else
			opts_error(state, "one argument too many: '%s'", arg);
		return 0;
	case ARGP_KEY_END:
		check_words(state, e);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = options,
	.parser = cmd_errno_parse,
	.children = children,
	.args_doc = "MAP_TYPE OP [ERR]",
	.doc = "Say what an error of a map operation has to do with the locks inside the map, on this "
	       "kernel, and what to do.\v"
	       "MAP_TYPE is a name of bpftool, OP an operation or the function that does it "
	       "(update, bpf_map_update_elem), ERR a name or number (EBUSY, -16, 4294967280, "
	       "0xfffffff0) or NULL. Without ERR, everything that a lock can do to the operation. "
	       "The kernel's BTF says which locks inside its maps are resilient, that is, can "
	       "fail; without BTF all that can be is shown. Needs no privileges. The whole table: "
	       "map-errors.md.",
};

/* "-EBUSY" and "-16" are no options. */
static void strip_signs(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && (argv[i][1] == 'E' || isdigit((unsigned char)argv[i][1])))
			argv[i]++;
}

static void errno_explain(const struct errno_cmd *e, const struct btf *btf)
{
	struct errors_view v = { .type = e->type, .op = e->op };
	struct utsname uts;

	uname(&uts);
	v.error = e->words[2] ? e->error : NULL;
	v.release = e->btf ? NULL : uts.release;
	v.btf = btf ? e->btf ?: BTFFILE_OWN : NULL;
	maplocks_read(btf, &v.locks);
	if (e->json)
		errors_print_json(&v);
	else
		errors_print_text(&v);
}

static int cmd_errno_run(int argc, char **argv)
{
	struct errno_cmd e = {};
	struct btf *btf;

	strip_signs(argc, argv);
	argp_parse(&argp, argc, argv, 0, NULL, &e);
	btf = e.btf ? btffile_read(e.btf) : btf__load_vmlinux_btf();
	if (!btf && e.btf)
		return EXIT_FAIL;
	if (!btf)
		pr_info("no BTF in " BTFFILE_OWN ": it is not known which locks this kernel has");
	errno_explain(&e, btf);
	btf__free(btf);
	return EXIT_OK;
}

const struct cmd cmd_errno = {
	.name = "errno",
	.summary = "say what an error of a map operation means here",
	.argp = &argp,
	.run = cmd_errno_run,
};
