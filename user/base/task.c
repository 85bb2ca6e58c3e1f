// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/task.h"

bool task_ids_known(void)
{
	static const char first[] = "pid:[4026531836]";
	char link[sizeof(first)] = "";

	return readlink("/proc/self/ns/pid", link, sizeof(link) - 1) > 0 && !strcmp(link, first);
}

static FILE *open_file(__u32 tid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", tid, file);
	return fopen(path, "re");
}

static int read_process(__u32 tid, __u32 *pid)
{
	FILE *f = open_file(tid, "status");
	char line[128];
	int found = 0;

	while (f && found != 1 && fgets(line, sizeof(line), f))
		found = sscanf(line, "Tgid: %u", pid);
	if (f)
		fclose(f);
	return found == 1 ? 0 : -ESRCH;
}

/*
 * A name may hold any byte, even a newline. Only the last byte of the file is not part of the name:
 * its line end.
 */
static int read_name(__u32 tid, char comm[TASK_COMM])
{
	FILE *f = open_file(tid, "comm");
	size_t n = f ? fread(comm, 1, TASK_COMM, f) : 0;

	if (f)
		fclose(f);
	if (!n)
		return -ESRCH;
	comm[n - 1] = 0;
	return 0;
}

int task_find(__u32 tid, __u32 *pid, char comm[TASK_COMM])
{
	int err = task_ids_known() ? read_process(tid, pid) : -ESRCH;

	return err || !comm ? err : read_name(tid, comm);
}
