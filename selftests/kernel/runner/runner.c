// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options, the loop over the tests, TAP. */
#include <argp.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/declared.h"
#include "kernel/runner/list.h"
#include "kernel/runner/outcome.h"

#define DEFAULT_LIMIT_S 60
#define MAX_GLOBS	64

static struct {
	bool list_only;
	double time_scale;
	char *globs[MAX_GLOBS];
	size_t nr_globs;
	char progs_dir[PATH_MAX];
	const char *unsuitable; /* the reason why this machine can run no test at all */
} env = { .time_scale = 1 };

static struct {
	int passed, failed, skipped;
} total;

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_DEBUG || test_verbosity() < 2)
		return 0;
	return vfprintf(stderr, fmt, ap);
}

static const struct argp_option options[] = {
	{ "test", 't', "GLOB", 0, "Run only tests whose SUITE/NAME matches (repeatable)", 0 },
	{ "list", 'l', NULL, 0, "Print the names and stop", 0 },
	{ "progs", 'd', "DIR", 0, "Where the BPF objects are (default: progs/ beside the binary)",
	  0 },
	{ "time-scale", 's', "N", 0, "Multiply every time limit (slow machines, emulation)", 0 },
	{ "verbose", 'v', NULL, 0, "-v: verifier logs of failed tests; -vv: libbpf's messages", 0 },
	{},
};

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	char *end;

	switch (key) {
	case 't':
		if (env.nr_globs == MAX_GLOBS)
			argp_error(state, "at most %d filters", MAX_GLOBS);
		env.globs[env.nr_globs++] = arg;
		return 0;
	case 'l':
		env.list_only = true;
		return 0;
	case 'd':
		snprintf(env.progs_dir, sizeof(env.progs_dir), "%s", arg);
		return 0;
	case 's':
		env.time_scale = strtod(arg, &end);
		if (*end || end == arg || env.time_scale < 0.1 || env.time_scale > 1000)
			argp_error(state, "--time-scale %s: give a number from 0.1 to 1000", arg);
		return 0;
	case 'v':
		test_more_verbose();
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: names of tests are given with -t", arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* test_rqspin is beside the folder of the kernel's tests, the runner of runner_self in its own. */
static void default_progs_dir(void)
{
	static const char *const places[] = { "kernel/progs", "progs" };
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *dir;

	if (len < 0 || env.progs_dir[0])
		return;
	exe[len] = '\0';
	dir = dirname(exe);
	for (int i = 0; i < 2; i++) {
		snprintf(env.progs_dir, sizeof(env.progs_dir), "%s/%s", dir, places[i]);
		if (!access(env.progs_dir, F_OK))
			return;
	}
}

static const char *why_unsuitable(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "may_bpf", 4, 4, 1, NULL);

	if (fd < 0)
		return "not allowed to create BPF maps: run as root";
	close(fd);
	if (!kernel_has_kfunc("bpf_res_spin_lock"))
		return "this kernel has no bpf_res_spin_lock kfunc: boot 6.15 or later, or use "
		       "make vmtest";
	return NULL;
}

static void run_child(const struct test_entry *e)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (env.unsuitable)
		test_skip("%s", env.unsuitable);
	else if (e->c && online_cpus() < e->c->min_cpus)
		test_skip("%d CPUs online, %d needed", online_cpus(), e->c->min_cpus);
	else if (e->c)
		e->c->run();
	else
		declared_run(e);
	outcome_close();
	fflush(stdout);
	_exit(0);
}

/* Wait for @pid at most @seconds; after that, kill it and return false. */
static bool child_reap(pid_t pid, double seconds, int *status)
{
	struct timespec left = { .tv_sec = (time_t)seconds };
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (waitpid(pid, status, WNOHANG) != pid) {
		if (sigtimedwait(&chld, NULL, &left) < 0 && errno == EAGAIN) {
			kill(pid, SIGKILL);
			waitpid(pid, status, 0);
			return false;
		}
	}
	return true;
}

static void print_result(const struct test_entry *e, size_t nr)
{
	switch (outcome->verdict) {
	case VERDICT_PASS:
		printf("ok %zu - %s\n", nr, e->name);
		total.passed++;
		return;
	case VERDICT_SKIP:
		printf("ok %zu - %s # SKIP %s\n", nr, e->name, outcome->skip);
		total.skipped++;
		return;
	default:
		printf("not ok %zu - %s\n", nr, e->name);
		total.failed++;
	}
}

static void run_one(const struct test_entry *e, size_t nr)
{
	double limit = (e->c && e->c->limit_s ? e->c->limit_s : DEFAULT_LIMIT_S) * env.time_scale;
	int status = 0;
	pid_t pid;

	outcome_reset();
	fflush(stdout);
	pid = fork();
	if (!pid)
		run_child(e);
	if (pid < 0)
		printf("# cannot fork: %s\n", strerror(errno));
	else if (!child_reap(pid, limit, &status))
		printf("# killed after %.0f s: raise --time-scale if the machine is slow\n", limit);
	else if (WIFSIGNALED(status))
		printf("# died of signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (outcome->verdict == VERDICT_DIED)
		printf("# ended early with status %d\n", WEXITSTATUS(status));
	print_result(e, nr);
}

static int run_all(const struct test_list *list)
{
	size_t i, nr = 0, planned = 0;

	for (i = 0; i < list->count; i++)
		planned += list_match(&list->entries[i], env.globs, env.nr_globs);
	if (!planned) {
		fprintf(stderr, "test_rqspin: no test matches; --list shows the names\n");
		return 2;
	}
	if (!env.list_only) {
		printf("TAP version 13\n1..%zu\n", planned);
		env.unsuitable = why_unsuitable();
	}
	for (i = 0; i < list->count; i++) {
		if (!list_match(&list->entries[i], env.globs, env.nr_globs))
			continue;
		if (env.list_only)
			printf("%s\n", list->entries[i].name);
		else
			run_one(&list->entries[i], ++nr);
	}
	if (!env.list_only)
		printf("%d passed, %d failed, %d skipped\n", total.passed, total.failed,
		       total.skipped);
	return total.failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct argp argp = {
		.options = options,
		.parser = parse_opt,
		.doc = "Tests of resilient spin locks against the running kernel (needs root).\v"
		       "Exit status: 0 all passed or skipped, 1 a test failed, 2 usage.",
	};
	struct test_list list = {};
	sigset_t chld;
	int err;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	libbpf_set_print(print_libbpf);
	default_progs_dir();
	err = outcome_map();
	if (!err)
		err = list_collect(&list);
	if (!err)
		err = declared_collect(&list, env.progs_dir);
	if (err) {
		fprintf(stderr,
			"test_rqspin: cannot read the objects in %s: %s; run make selftests\n",
			env.progs_dir, strerror(-err));
		return 1;
	}
	list_sort(&list);
	err = run_all(&list);
	list_free(&list);
	return err;
}
