/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's own functions and variables, by address (/proc/kallsyms). */
#ifndef RQSPIN_NAMES_KSYMS_H
#define RQSPIN_NAMES_KSYMS_H

#include <linux/types.h>
#include <stdbool.h>

struct ksyms;

/* NULL if there is no memory. Read at once, and again when modules came or went. */
struct ksyms *ksyms_open(void);
/* The same of other files than /proc's. */
struct ksyms *ksyms_of(const char *modules_file, const char *symbols_file);
void ksyms_close(struct ksyms *ks);

/* The kernel's own code, without modules; a size of 0 if that is not known. */
void ksyms_text(const struct ksyms *ks, __u64 *start, __u64 *size);

/* What the address is in, and how far; NULL if unknown. *data: a variable, not a function. */
const char *ksyms_find(struct ksyms *ks, __u64 addr, __u64 *off, bool *data);

/* The address of one of the kernel's own functions; 0 if there is none of that name. */
__u64 ksyms_addr(const struct ksyms *ks, const char *name);

#endif
