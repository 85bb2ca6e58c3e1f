// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/cpus.h"

int cpus_usable(int cpus[OPT_CPUS_MAX])
{
	cpu_set_t set;
	int nr = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE && cpu < OPT_CPUS_MAX; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	return nr;
}

/* Returns how many, or -errno. */
static int read_list(const char *path, int cpus[OPT_CPUS_MAX])
{
	FILE *f = fopen(path, "re");
	char list[4096] = "";
	int nr = -EIO;

	if (!f)
		return -errno;
	if (fgets(list, sizeof(list), f)) {
		list[strcspn(list, "\n")] = 0;
		nr = opt_cpus(list, cpus);
	}
	fclose(f);
	return nr;
}

int cpus_present(int cpus[OPT_CPUS_MAX])
{
	return read_list("/sys/devices/system/cpu/present", cpus);
}

bool cpu_online(int cpu)
{
	int cpus[OPT_CPUS_MAX], nr = read_list("/sys/devices/system/cpu/online", cpus);

	for (int i = 0; i < nr; i++)
		if (cpus[i] == cpu)
			return true;
	return nr < 0; /* unknown */
}

bool cpu_usable(int cpu)
{
	cpu_set_t old, set;
	bool ok;

	if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(old), &old))
		return false;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ok = !sched_setaffinity(0, sizeof(set), &set);
	sched_setaffinity(0, sizeof(old), &old);
	return ok;
}
