/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's own functions and variables, by address (/proc/kallsyms). */
#ifndef RQSPIN_NAMES_KSYMS_H
#define RQSPIN_NAMES_KSYMS_H

#include <linux/types.h>
#include <stdbool.h>

struct ksyms;

/*
 * NULL if out of memory. Symbols are read at once, and again when modules were loaded or unloaded.
 */
struct ksyms *ksyms_open(void);
/* The same from other files than /proc's. */
struct ksyms *ksyms_of(const char *modules_file, const char *symbols_file);
void ksyms_close(struct ksyms *ks);

/* The range of the kernel's own code, without modules; a size of 0 if unknown. */
void ksyms_text(const struct ksyms *ks, __u64 *start, __u64 *size);

/*
 * The symbol that contains the address, and the offset in it; NULL if unknown. *data: a variable,
 * not a function.
 */
const char *ksyms_find(struct ksyms *ks, __u64 addr, __u64 *off, bool *data);

/* The address of one of the kernel's own functions; 0 if there is none of that name. */
__u64 ksyms_addr(const struct ksyms *ks, const char *name);

#endif
