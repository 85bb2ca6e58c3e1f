/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data that programs cannot change, but that their loader may set: `const volatile` globals, and
 * the kernel's configuration. The values in the file are not those that a running program sees.
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

/* Hide from the verifier what may differ elsewhere. Call it before the object is loaded. */
void constants_hide(struct bpf_object *obj);

/* Write the user's values into the object. Call it before the object is loaded. */
void constants_set(struct bpf_object *obj, struct load_opts *opts);

/* For each byte of the section: do the file or the user fix its value? The caller frees it. */
unsigned char *constants_known(const struct bpf_object *obj, const struct bpf_map *map,
			       const struct load_opts *opts);

/* Write the user's values into a copy of the section. */
void constants_write(const struct bpf_object *obj, const struct bpf_map *map, void *data,
		     const struct load_opts *opts);

/**
 * constants_find() - the variable at an offset, if the loader may set it
 * @section: ".rodata", ".rodata.x"
 * @off: offset in the section
 *
 * Return: the variable's name, or NULL if there is none
 */
const char *constants_find(const struct bpf_object *obj, const char *section, __u64 off);

/* An extern in .kconfig? */
bool constants_is_config(const struct bpf_object *obj, const char *name);

/*
 * Settings for libbpf: those that the user gives, or all that programs name (@all), each with some
 * value. NULL: there are none.
 */
char *constants_config(const struct bpf_object *obj, const struct load_opts *opts, bool all);

/* "name = 5" of the variable, or "name", into buf. */
void constants_text(const struct bpf_object *obj, const char *name, char *buf, size_t size);

#endif
