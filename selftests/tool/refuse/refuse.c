// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * LD_PRELOAD: a kernel that loads no program for one of its functions, the one whose BTF id is in
 * RQSPIN_REFUSED.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>

static bool load_is_refused(long nr, const long *args)
{
	const union bpf_attr *attr = (const union bpf_attr *)args[1];
	const char *id = getenv("RQSPIN_REFUSED");

	return id && nr == __NR_bpf && args[0] == BPF_PROG_LOAD &&
	       attr->attach_btf_id == (__u32)atoi(id);
}

long syscall(long nr, ...)
{
	long (*real)(long nr, ...) = dlsym(RTLD_NEXT, "syscall");
	long args[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (load_is_refused(nr, args)) {
		errno = EINVAL;
		return -1;
	}
	return real(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
}
