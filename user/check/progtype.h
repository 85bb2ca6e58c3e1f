/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types for programs whose section names none, or one that cannot be loaded alone. */
#ifndef RQSPIN_CHECK_PROGTYPE_H
#define RQSPIN_CHECK_PROGTYPE_H

#include <linux/bpf.h>
#include <stdbool.h>

struct bpf_object;
struct bpf_program;

/*
 * The type called so by bpftool or by sections: "xdp", "sched_cls", "tc". BPF_PROG_TYPE_UNSPEC:
 * there is none.
 */
enum bpf_prog_type progtype_named(const char *name, enum bpf_attach_type *attach);

/* Does the program need a type from here? */
bool progtype_is_open(const struct bpf_program *prog);

/*
 * Guess the type from the argument and the words of the section. BPF_PROG_TYPE_UNSPEC: these do not
 * show it.
 */
enum bpf_prog_type progtype_guess(const struct bpf_object *obj, const struct bpf_program *prog,
				  enum bpf_attach_type *attach);

#endif
