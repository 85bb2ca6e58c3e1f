// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "examples.h"
#include "../base/fds.h"
#include "../base/log.h"
#include "../base/opts.h"
#include "../base/out.h"
#include "../base/suggest.h"
#include "tables.h"
#include "words.h"

static const struct cmd *const cmds[] = {
	&cmd_list,   &cmd_run,	  &cmd_trace,  &cmd_record, &cmd_held,	&cmd_stat,  &cmd_top,
	&cmd_export, &cmd_report, &cmd_replay, &cmd_doctor, &cmd_errno, &cmd_check, &cmd_version,
};

#define NR_CMDS	  (sizeof(cmds) / sizeof(cmds[0]))
#define MATCH_MAX 256

static void print_version(FILE *out, struct argp_state *state)
{
	(void)state;
	cmd_version_print(out);
}

void (*argp_program_version_hook)(FILE *out, struct argp_state *state) = print_version;

enum { KEY_TABLES = 0x1000, KEY_WORDS };

static const struct argp_option options[] = {
	{ "verbose", 'v', NULL, 0, "Print more messages on standard error; -vv adds libbpf's", 0 },
	{ NULL, 'h', NULL, 0, "Same as --help", -1 },
	{ "dump-tables", KEY_TABLES, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "words", KEY_WORDS, "OPTION[:OBJECT]", OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

static size_t match_cmds(const char *name, const struct cmd **found, char *names, size_t size)
{
	size_t nr = 0, len = strlen(name), used = 0;

	for (size_t i = 0; i < NR_CMDS; i++) {
		if (strncmp(cmds[i]->name, name, len))
			continue;
		*found = cmds[i];
		if (!cmds[i]->name[len])
			return 1;
		used += snprintf(names + used, size - used, "%s%s", nr++ ? ", " : "",
				 cmds[i]->name);
	}
	return nr;
}

static const char *closest_cmd(const char *name)
{
	struct suggest s = { .typed = name };

	for (size_t i = 0; i < NR_CMDS; i++)
		suggest_try(&s, cmds[i]->name);
	return s.best;
}

static const struct cmd *find_cmd(const char *name)
{
	const struct cmd *cmd = NULL;
	char names[MATCH_MAX];
	const char *close;

	switch (match_cmds(name, &cmd, names, sizeof(names))) {
	case 1:
		return cmd;
	case 0:
		close = closest_cmd(name);
		if (close)
			pr_err("no verb '%s'; did you mean '%s'?", name, close);
		else
			pr_err("no verb '%s'; 'rqspin help' lists them", name);
		return NULL;
	}
	pr_err("'%s' could be any of: %s", name, names);
	return NULL;
}

static int run_cmd(const struct cmd *cmd, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "rqspin %s", cmd->name);
	argv[0] = name;
	opts_examples(examples_text(cmd->name));
	return cmd->run(argc, argv);
}

static int help_verb(const struct argp *top, int argc, char **argv)
{
	const struct cmd *cmd;
	char name[64];

	if (argc < 2) {
		argp_help(top, stdout, ARGP_HELP_STD_HELP, "rqspin");
		return EXIT_OK;
	}
	cmd = find_cmd(argv[1]);
	if (!cmd)
		return EXIT_USAGE;
	snprintf(name, sizeof(name), "rqspin %s", cmd->name);
	opts_examples(examples_text(cmd->name));
	argp_help(cmd->argp, stdout, ARGP_HELP_STD_HELP, name);
	return EXIT_OK;
}

/* @arg: an option, and its object if there is one: "roles:./mine.bpf.o" */
static void list_words(char *arg)
{
	char *object = strchr(arg, ':');

	if (object)
		*object++ = 0;
	exit(words_print(arg, object) ? EXIT_OK : EXIT_USAGE);
}

static error_t main_parse(int key, char *arg, struct argp_state *state)
{
	int *verb = state->input;

	switch (key) {
	case 'v':
		log_more();
		return 0;
	case 'h':
		argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
		return 0;
	case KEY_TABLES:
		tables_dump(cmds, NR_CMDS);
		exit(EXIT_OK);
	case KEY_WORDS:
		list_words(arg);
		return 0;
	case ARGP_KEY_ARG:
		*verb = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_state_help(state, state->err_stream,
				ARGP_HELP_SHORT_USAGE | ARGP_HELP_POST_DOC | ARGP_HELP_EXIT_ERR);
	}
	return ARGP_ERR_UNKNOWN;
}

static char *help_filter(int key, const char *text, void *input)
{
	char *buf = NULL;
	size_t size;
	FILE *out;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	out = open_memstream(&buf, &size);
	if (!out)
		return (char *)text;
	fputs("Verbs (a unique prefix is enough):\n", out);
	for (size_t i = 0; i < NR_CMDS; i++)
		fprintf(out, "  %-8s %s\n", cmds[i]->name, cmds[i]->summary);
	fputs("\n'rqspin help VERB' shows a verb's options.", out);
	fclose(out);
	return buf;
}

static const struct argp argp = {
	.options = options,
	.parser = main_parse,
	.args_doc = "VERB [ARGUMENT...]",
	.doc = "Run programs that take resilient queued spin locks, and see which acquisitions "
	       "fail and why.\v(verbs)",
	.help_filter = help_filter,
};

static void close_stdout(void)
{
	int err = out_failed(out_flush());

	/* A remote file system may report an error only now. */
	if (!err && fclose(stdout) && errno != EPIPE) {
		err = -errno;
		pr_err("%s: %s", out_name(), strerror(-err));
	}
	if (err)
		_exit(EXIT_FAIL);
}

/* A BPF object must not land on a closed standard descriptor and be written to. */
static void fill_std_fds(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(EXIT_FAIL);
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;
	int verb = 0;

	fill_std_fds();
	out_init();
	fds_raise();
	setlocale(LC_CTYPE, ""); /* what is printable */
	atexit(close_stdout);
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rqspin";
	log_init();
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &verb);
	argc -= verb;
	argv += verb;
	if (!strcmp(argv[0], "help"))
		return help_verb(&argp, argc, argv);
	cmd = find_cmd(argv[0]);
	return cmd ? run_cmd(cmd, argc, argv) : EXIT_USAGE;
}
