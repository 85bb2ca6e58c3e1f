/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An object file while its programs are loaded. libbpf loads all of an object or nothing, so it is
 * opened again and again, each time without what has been found to stand in the way.
 */
#ifndef RQSPIN_CHECK_OBJECT_H
#define RQSPIN_CHECK_OBJECT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "check/load_opts.h"
#include "check/refs.h"
#include "check/said.h"

struct bpf_map;
struct bpf_object;
struct bpf_program;

#define OBJECT_ALL ((size_t)-1)

/**
 * struct object_prog - what is known of a program
 * @off: it is not to be loaded
 * @type: the type that it is loaded as, if its section names none; @guessed: not given by the user
 * @log: the verifier's log of the last attempt
 * @reason: why it was refused while the values of constants were not known, or NULL
 */
struct object_prog {
	bool off;
	enum bpf_prog_type type;
	bool guessed;
	char *log, *reason;
};

/**
 * struct object_map - what is known of a map
 * @pin: where the object would pin it, or NULL; nothing is pinned here
 * @sized: its size was set here, as it has none or a very large one
 * @inner: descriptor of an inner map that was made up for it, or 0
 * @kept: its descriptor, to be used when the object is opened again; or 0
 * @why: why it cannot be created, or NULL
 */
struct object_map {
	char *pin, *why;
	bool sized;
	int inner, kept;
};

/* A member of a struct_ops that this kernel does not have. */
struct object_member {
	char *map, *member;
};

/**
 * struct object - an object file
 * @image: its bytes, with all externs made weak; @refs: what its programs refer to
 * @config: kernel settings in place of this kernel's, or NULL
 * @made_up: all settings are made up, because none can be read here
 * @as_given: constants have the values in the file; else the verifier does not know them
 * @said: libbpf's messages about the last attempt
 */
struct object {
	const char *path;
	struct load_opts *opts;
	void *image;
	size_t size;
	struct refs *refs;
	struct bpf_object *obj;
	struct object_prog *progs;
	struct object_map *maps;
	size_t nr_progs, nr_maps;
	struct object_member *members;
	size_t nr_members;
	char *config;
	bool made_up, as_given;
	bool in_time; /* each program alone is: all together get no time limit */
	struct said said;
};

/* Reads the file. 0 or -errno. */
int object_read(struct object *o, const char *path, struct load_opts *opts);

/*
 * Load the programs that are not off: those from number @from on, or only number @only. What was
 * loaded before is unloaded first. 0 or -errno; -ETIME: it takes too long; o->obj is NULL if the
 * object cannot even be opened.
 */
int object_load(struct object *o, size_t from, size_t only);

/* Keep the object's maps for when it is opened again, except constants and struct_ops. */
void object_keep_maps(struct object *o);

/* Unload the object. What is known of it is kept. */
void object_close(struct object *o);
void object_free(struct object *o);

#endif
