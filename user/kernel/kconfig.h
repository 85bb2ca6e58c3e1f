/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that the running kernel was built with, if they can be read. */
#ifndef RQSPIN_KERNEL_KCONFIG_H
#define RQSPIN_KERNEL_KCONFIG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Are all these options built in? Also false if they cannot be read. names: such as "CONFIG_BPF".
 */
bool kconfig_has(const char *const *names, size_t nr);

/* The same from one file, plain or compressed. */
bool kconfig_file_has(const char *path, const char *const *names, size_t nr);

#endif
