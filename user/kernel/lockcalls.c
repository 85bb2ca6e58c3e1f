// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>
#include <stdlib.h>
#include <bpf/bpf.h>

#include "kernel/lockcalls.h"
#include "base/log.h"
#include "kernel/probe.h"
#include "kernel/probeobj.h"

#define LOCK_CALLS 4
#define CALLS_MAX  64

/*
 * The four lock calls as they are in instructions here: an offset or a BTF id, as the JIT wants it.
 */
static struct {
	__u32 own_id;
	__s32 calls[LOCK_CALLS];
	size_t nr; /* 0: unknown */
} known;

size_t lockcalls_read(const struct bpf_insn *insns, size_t nr, __s32 *calls, size_t room)
{
	size_t found = 0;

	for (size_t i = 0; i < nr && found < room; i++) {
		size_t j = 0;

		if (insns[i].code != (BPF_JMP | BPF_CALL) ||
		    insns[i].src_reg != BPF_PSEUDO_KFUNC_CALL)
			continue;
		while (j < found && calls[j] != insns[i].imm)
			j++;
		if (j == found)
			calls[found++] = insns[i].imm;
	}
	return found;
}

/* False: the instructions cannot be read. */
static bool calls_of(int prog_fd, __u32 xlated_len, __s32 *calls, size_t room, size_t *nr)
{
	struct bpf_prog_info info = {};
	struct bpf_insn *insns = calloc(1, xlated_len + 1);
	__u32 len = sizeof(info);
	bool ok;

	if (!insns)
		return false;
	info.xlated_prog_len = xlated_len;
	info.xlated_prog_insns = (uintptr_t)insns;
	/* The kernel sets the pointer to NULL if this process may not read them. */
	ok = !bpf_prog_get_info_by_fd(prog_fd, &info, &len) && info.xlated_prog_insns &&
	     info.xlated_prog_len <= xlated_len;
	*nr = ok ? lockcalls_read(insns, info.xlated_prog_len / sizeof(*insns), calls, room) : 0;
	free(insns);
	return ok;
}

void lockcalls_learn(void)
{
	struct probe_bpf *skel;
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd;

	log_trying(true);
	skel = probeobj_load("rqspin_lock", NULL);
	log_trying(false);
	if (!skel)
		return;
	fd = probeobj_fd(skel, "rqspin_lock");
	if (!bpf_prog_get_info_by_fd(fd, &info, &len)) {
		known.own_id = info.id;
		calls_of(fd, info.xlated_prog_len, known.calls, LOCK_CALLS, &known.nr);
	}
	probe_bpf__destroy(skel);
	if (!known.nr)
		pr_debug("it is not known which programs call the lock functions");
}

bool lockcalls_in(int prog_fd, __u32 id, __u32 xlated_len)
{
	__s32 calls[CALLS_MAX];
	size_t nr;

	if (id == known.own_id)
		return false;
	if (!known.nr || !xlated_len || !calls_of(prog_fd, xlated_len, calls, CALLS_MAX, &nr))
		return true;
	if (nr == CALLS_MAX)
		return true;
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < known.nr; j++)
			if (calls[i] == known.calls[j])
				return true;
	return false;
}
