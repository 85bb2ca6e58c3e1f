/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data that programs cannot change, but that the command which loads them may set: `const volatile`
 * globals, and the kernel's configuration. What is in the file is not what will be there.
 */
#ifndef RQSPIN_CHECK_CONSTANTS_H
#define RQSPIN_CHECK_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct bpf_map;
struct bpf_object;
struct load_opts;

/* Is it a section of such data? */
bool constants_are_in(const struct bpf_map *map);

/* What may be different elsewhere is not known to the verifier, either. Before the object is
 * loaded. */
void constants_hide(struct bpf_object *obj);

/* Values that the user gives, into the object. Before it is loaded. */
void constants_set(struct bpf_object *obj, struct load_opts *opts);

/* Of each byte of the section: does the file, or the user, say what it is for good? Allocated. */
unsigned char *constants_known(const struct bpf_object *obj, const struct bpf_map *map,
			       const struct load_opts *opts);

/* Values that the user gives, into a copy of the section. */
void constants_write(const struct bpf_object *obj, const struct bpf_map *map, void *data,
		     const struct load_opts *opts);

/**
 * constants_find() - the variable at a place that a command may set
 * @section: ".rodata", ".rodata.x"
 * @off: in it
 *
 * Return: its type's id in the BTF of the object, 0: there is none
 */
const char *constants_find(const struct bpf_object *obj, const char *section, __u64 off);

/* An extern in .kconfig? */
bool constants_is_config(const struct bpf_object *obj, const char *name);

/*
 * Settings for libbpf: those that the user gives, or all that programs name, each with some value.
 * NULL: there are none.
 */
char *constants_config(const struct bpf_object *obj, const struct load_opts *opts, bool all);

/* "name = 5" of the variable, or "name", into buf. */
void constants_text(const struct bpf_object *obj, const char *name, char *buf, size_t size);

#endif
