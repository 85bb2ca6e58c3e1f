// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The four workloads of Anton Blanchard's will-it-scale that Dwivedi 2025 uses, written from
 * their description. Which lock each one wants is said in the paper on CNA (Dice, Kogan 2019,
 * table 1).
 */
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "scale.h"

static int open_and_close(const struct place *p)
{
	int fd = open(p->path, O_RDWR | O_CLOEXEC);

	return fd < 0 || close(fd) ? -1 : 1;
}

static int lock_and_unlock(const struct place *p)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(p->fd, F_SETLKW, &lock))
		return -1;
	lock.l_type = F_UNLCK;
	return fcntl(p->fd, F_SETLKW, &lock) ? -1 : 2;
}

const struct test tests[] = {
	{ "open1", "open and close an own file in one folder: files_struct.file_lock, lockref",
	  false, false, open_and_close },
	{ "open2", "the same, each thread in a folder of its own: files_struct.file_lock", true,
	  false, open_and_close },
	{ "lock1", "lock and unlock an own file: files_struct.file_lock", false, false,
	  lock_and_unlock },
	{ "lock2", "lock and unlock one file of all: file_lock_context.flc_lock", false, true,
	  lock_and_unlock },
	{ NULL, NULL, false, false, NULL },
};
