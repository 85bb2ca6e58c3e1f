// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "names/own.h"
#include "names/proginfo.h"
#include "sources/thefts.h"
#include "stream_reads.h"
#include "bpf/stream_reads.skel.h"

struct thefts {
	struct stream_reads_bpf *skel;
	__u64 seen; /* of them */
};

static int start(struct thefts *th)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	th->skel = stream_reads_bpf__open_and_load();
	if (!th->skel)
		return -errno;
	/* In a PID namespace getpid() is another number. */
	err = bpf_prog_test_run_opts(bpf_program__fd(th->skel->progs.rqspin_reader), &opts);
	return err ?: stream_reads_bpf__attach(th->skel);
}

struct thefts *thefts_open(void)
{
	struct thefts *th = calloc(1, sizeof(*th));
	int err;

	if (!th)
		return NULL;
	log_trying(true);
	err = start(th);
	log_trying(false);
	if (!err)
		return th;
	pr_debug("other readers of error streams cannot be seen: %s", strerror(-err));
	thefts_close(th);
	return NULL;
}

void thefts_close(struct thefts *th)
{
	if (!th)
		return;
	stream_reads_bpf__destroy(th->skel);
	free(th);
}

static bool matters(const struct stream_read *read, struct proginfos *progs)
{
	const struct proginfo *p = proginfos_by_id(progs, read->prog_id);

	return p ? !p->own && proginfo_may_lock(p) : !own_name(read->name);
}

bool thefts_any(struct thefts *th, struct proginfos *progs)
{
	__u64 nr = th ? __atomic_load_n(&th->skel->bss->nr_reads, __ATOMIC_ACQUIRE) : 0;
	bool any = th && nr - th->seen > STREAM_READS;

	for (; th && !any && th->seen < nr; th->seen++)
		any = matters(&th->skel->bss->reads[th->seen % STREAM_READS], progs);
	if (th)
		th->seen = nr;
	return any;
}
