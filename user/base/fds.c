// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/log.h"

static rlim_t users; /* 0: not raised */

void fds_raise(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == lim.rlim_max)
		return;
	users = lim.rlim_cur;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

void fds_restore(void)
{
	struct rlimit lim;

	if (!users || getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = users;
	setrlimit(RLIMIT_NOFILE, &lim);
}

unsigned long fds_limit(void)
{
	struct rlimit lim;

	return getrlimit(RLIMIT_NOFILE, &lim) ? 1024 : lim.rlim_cur;
}

bool fds_left(unsigned int nr)
{
	int fds[64];
	unsigned int got = 0;

	nr = nr < 64 ? nr : 64;
	while (got < nr && (fds[got] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
		got++;
	for (unsigned int i = 0; i < got; i++)
		close(fds[i]);
	if (got < nr)
		pr_err("too few files may be open: the limit is %lu, but %u more are needed: raise it "
		       "(ulimit -n 1024)",
		       fds_limit(), nr - got);
	return got == nr;
}
