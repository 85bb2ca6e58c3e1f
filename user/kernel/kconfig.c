// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "kernel/kconfig.h"

static bool built_in(const char *line, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(line, name, len) && !strcmp(line + len, "=y\n");
}

bool kconfig_file_has(const char *path, const char *const *names, size_t nr)
{
	gzFile f = gzopen(path, "re");
	size_t found = 0;
	char line[512];

	while (f && gzgets(f, line, sizeof(line)))
		for (size_t i = 0; i < nr; i++)
			found += built_in(line, names[i]);
	if (f)
		gzclose(f);
	return f && found == nr;
}

bool kconfig_has(const char *const *names, size_t nr)
{
	struct utsname uts;
	char boot[128];

	uname(&uts);
	snprintf(boot, sizeof(boot), "/boot/config-%s", uts.release);
	return kconfig_file_has("/proc/config.gz", names, nr) || kconfig_file_has(boot, names, nr);
}
