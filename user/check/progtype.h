/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Types of programs whose section tells none, or none that can be loaded alone. */
#ifndef RQSPIN_CHECK_PROGTYPE_H
#define RQSPIN_CHECK_PROGTYPE_H

#include <linux/bpf.h>
#include <stdbool.h>

struct bpf_object;
struct bpf_program;

/* As bpftool and sections name it: "xdp", "sched_cls", "tc". BPF_PROG_TYPE_UNSPEC: there is none.
 */
enum bpf_prog_type progtype_named(const char *name, enum bpf_attach_type *attach);

/* Does the program need one from here? */
bool progtype_is_open(const struct bpf_program *prog);

/* By its argument and the words of its section. BPF_PROG_TYPE_UNSPEC: that does not tell. */
enum bpf_prog_type progtype_guess(const struct bpf_object *obj, const struct bpf_program *prog,
				  enum bpf_attach_type *attach);

#endif
