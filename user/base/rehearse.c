// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rehearse.h"

static void be_silent(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	const struct rlimit none = { 0, 0 };
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		signal(crashes[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
}

/* If the parent has ended before prctl(), no signal comes any more. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

int rehearse_in_child(void (*what)(void *arg), void *arg)
{
	pid_t parent = getpid(), child = fork();
	int status = 0;

	if (!child) {
		end_with(parent);
		be_silent();
		what(arg);
		_exit(0);
	}
	if (child < 0) {
		pr_debug("no second process: a crash will be one of this process");
		return 0;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) ? SIGABRT : 0; /* a sanitizer ends the process so */
}

const char *rehearse_text(int sig)
{
	static char text[128];

	if (sig == SIGKILL)
		return "libbpf was killed when it tried the object: perhaps there is too little "
		       "memory";
	if (sig == SIGXCPU)
		return "a damaged object: libbpf does not come to an end with it";
	snprintf(text, sizeof(text), "a damaged object: libbpf crashes on it (%s)", strsignal(sig));
	return text;
}
