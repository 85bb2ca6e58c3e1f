/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* bpf/probe.bpf.c with only the programs of one question loaded. */
#ifndef RQSPIN_KERNEL_PROBEOBJ_H
#define RQSPIN_KERNEL_PROBEOBJ_H

#include <linux/types.h>
#include <stdbool.h>
#include <bpf/libbpf.h>

#include "probe_shared.h"
#include "bpf/probe.skel.h"

struct probe_bpf *probeobj_load(const char *one, const char *two); /* NULL and errno */
int probeobj_fd(struct probe_bpf *skel, const char *prog);
int probeobj_run(struct probe_bpf *skel, const char *prog);    /* its return value, or -errno */
int probeobj_attach(struct probe_bpf *skel, const char *prog); /* -errno and errno */

#endif
