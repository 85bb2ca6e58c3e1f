/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which data and externs of its object a program refers to, with the functions that it calls. */
#ifndef RQSPIN_CHECK_REFS_H
#define RQSPIN_CHECK_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

/**
 * struct ref - one thing that a program refers to
 * @section: of the data, such as ".rodata"; NULL: an extern
 * @name: of the extern; NULL: data
 * @off: of the data in its section
 * @weak: the object can do without it
 */
struct ref {
	const char *section, *name;
	__u64 off;
	bool weak;
};

struct bpf_insn;
struct refs;

/*
 * Read the references of an ELF file in memory, which has to stay there. NULL: it is damaged, or
 * memory is short.
 */
struct refs *refs_read(void *image, size_t size);
void refs_free(struct refs *refs);

/* Calls back for each extern once, and for all places of data. section: of the program. */
void refs_each(const struct refs *refs, const char *section, const char *prog,
	       void (*found)(void *arg, const struct ref *ref), void *arg);

/* Calls back with the instructions of each section of code: those of all programs and functions. */
void refs_code(const struct refs *refs,
	       void (*found)(void *arg, const struct bpf_insn *insns, size_t nr), void *arg);

/* Makes all externs weak, so that an absent one concerns only programs that need it. */
void refs_weaken(void *image, size_t size);

#endif
