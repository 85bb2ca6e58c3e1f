// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/helper.h"
#include "unit.h"

#define LONG 60

static char shell[PATH_MAX];

/* In a shell; what it writes is in text. */
static int shell_run(const char *command, double seconds, char text[256])
{
	char *const argv[] = { shell, "-c", (char *)command, NULL };
	FILE *out = tmpfile();
	struct helper h = { .argv = argv, .out = fileno(out), .seconds = seconds };
	int ret;

	assert_true(helper_find("sh", shell));
	ret = helper_run(&h);
	rewind(out);
	text[fread(text, 1, 255, out)] = 0;
	fclose(out);
	return ret;
}

static void status_and_output_are_its_own(void **state)
{
	char text[256];

	(void)state;
	assert_int_equal(shell_run("echo one; exit 7", LONG, text), 7);
	assert_string_equal(text, "one\n");
	assert_int_equal(shell_run("kill -SEGV $$", LONG, text), -EIO);
	assert_int_equal(shell_run("wc -c", LONG, text), 0);
	assert_string_equal(text, "0\n");
}

static void environment_is_clean(void **state)
{
	char text[256];

	(void)state;
	setenv("MAKEFLAGS", "n", 1);
	setenv("CPATH", "/tmp", 1);
	assert_int_equal(shell_run("echo \"$MAKEFLAGS$CPATH\"; [ -n \"$PATH\" ]", LONG, text), 0);
	assert_string_equal(text, "\n");
	unsetenv("MAKEFLAGS");
	unsetenv("CPATH");
}

static void time_is_limited(void **state)
{
	char text[256];

	(void)state;
	/* The whole group: a child of its own, too, which would keep the pipe open. */
	assert_int_equal(shell_run("echo begun; sleep 600 & sleep 600", 0.3, text), -ETIMEDOUT);
}

/* Tells its group through the pipe, which is open as long as one of them lives. */
static void start_and_die(int pipe)
{
	char command[64], text[256];

	snprintf(command, sizeof(command), "echo begun >&2; exec sleep 600");
	dup2(pipe, STDERR_FILENO);
	close(pipe);
	shell_run(command, LONG, text);
	_exit(0);
}

static void it_ends_with_us(void **state)
{
	char text[16];
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		close(fds[0]);
		start_and_die(fds[1]);
	}
	close(fds[1]);
	assert_true(read(fds[0], text, sizeof(text)) > 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* Would hang: until the last writer has gone. */
	assert_int_equal(read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
}

static void only_absolute_folders_are_searched(void **state)
{
	char *old = strdup(getenv("PATH")), path[PATH_MAX];
	int here = open(".", O_PATH);

	(void)state;
	assert_int_equal(chdir("/bin"), 0);
	setenv("PATH", ".::bin", 1);
	assert_false(helper_find("sh", path));
	setenv("PATH", ".:/nowhere:/bin", 1);
	assert_true(helper_find("sh", path));
	assert_string_equal(path, "/bin/sh");
	assert_false(helper_find("no-such-program", path));
	setenv("PATH", old, 1);
	assert_int_equal(fchdir(here), 0);
	close(here);
	free(old);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(status_and_output_are_its_own),
	cmocka_unit_test(environment_is_clean),
	cmocka_unit_test(time_is_limited),
	cmocka_unit_test(it_ends_with_us),
	cmocka_unit_test(only_absolute_folders_are_searched),
};

UNIT_GROUP(helpers, tests)
