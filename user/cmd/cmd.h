/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verbs are data: help, man page and completion are printed from these tables. */
#ifndef RQSPIN_CMD_H
#define RQSPIN_CMD_H

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit statuses: documented in docs/rqspin.8, and tests check them. */
enum {
	EXIT_OK = 0,
	EXIT_FAIL = 1,
	EXIT_USAGE = 2,
	EXIT_UNSUPPORTED = 3, /* this kernel or this user cannot do it */
	EXIT_LOST = 4,	 /* events were lost and --strict was given; check's budget was used up */
	EXIT_EVENT = 10, /* trace --fail-on-event showed a failure, check has findings */
};

/* The exit status for the -errno of a function. */
static inline int cmd_exit_code(int err)
{
	switch (err) {
	case 0:
		return EXIT_OK;
	case -EINVAL:
		return EXIT_USAGE;
	case -EOPNOTSUPP:
		return EXIT_UNSUPPORTED;
	}
	return EXIT_FAIL;
}

struct cmd {
	const char *name;
	const char *summary;		   /* one line, for help and man page */
	const struct argp *argp;	   /* option table, argument synopsis, long help */
	int (*run)(int argc, char **argv); /* argv[0] is "rqspin VERB"; returns an exit code */
};

extern const struct cmd cmd_list, cmd_run, cmd_trace, cmd_held, cmd_stat, cmd_doctor, cmd_errno,
	cmd_export, cmd_report, cmd_check, cmd_top, cmd_record, cmd_replay, cmd_version;

/* Print what `rqspin version` prints, for --version. */
void cmd_version_print(FILE *out);

/* Run an object that describes itself, as `rqspin run` does. Messages call it @what. */
int cmd_run_object(const char *what, const char *path, bool json);

#endif
