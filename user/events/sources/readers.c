// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "events/sources/readers.h"

#define MEETING_PLACE "/sys/fs/bpf"

/*
 * Each reader takes a shared lock of the folder. A test for an exclusive lock finds other readers.
 */
int readers_join(void)
{
	struct flock shared = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1 };
	int fd = open(MEETING_PLACE, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fcntl(fd, F_OFD_SETLK, &shared)) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

bool readers_others(int joined)
{
	struct flock alone = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

	return joined >= 0 && !fcntl(joined, F_OFD_GETLK, &alone) && alone.l_type != F_UNLCK;
}
