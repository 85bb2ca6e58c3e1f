// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/log.h"
#include "base/shortage.h"
#include "kernel/fexit.h"
#include "kernel/kernelbtf.h"

/* A process that is stopped and continued uses up the few tries that are usual. */
#define LOAD_TRIES 40

bool fexit_loads(const char *function)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FEXIT,
		    .attempts = LOAD_TRIES);
	const struct btf *btf = kernelbtf_get();
	__s32 id = btf ? btf__find_by_name_kind(btf, function, BTF_KIND_FUNC) : -ENOENT;
	int fd, err;

	if (id < 0)
		return false;
	opts.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "rqspin_fexit", "Dual BSD/GPL", insns, 2, &opts);
	err = errno;
	if (fd < 0) {
		pr_debug("fexit of %s(): %s", function, strerror(err));
		/* The load of the real program meets it again, and reports it. */
		return errno_is_shortage(err);
	}
	close(fd);
	return true;
}
