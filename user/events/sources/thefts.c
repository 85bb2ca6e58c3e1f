// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "names/own.h"
#include "names/proginfo.h"
#include "events/sources/thefts.h"
#include "stream_reads.h"
#include "bpf/stream_reads.skel.h"

struct thefts {
	struct stream_reads_bpf *skel;
	__u64 seen; /* reads handled so far */
};

/*
 * Attaches to the function that takes text out of a stream: by its name in Linux, or in our series.
 */
static int thefts_attach(struct thefts *th)
{
	static const char *const names[] = { "bpf_prog_stream_read", "bpf_stream_take" };
	struct bpf_link *link = NULL;

	for (size_t i = 0; !link && i < sizeof(names) / sizeof(names[0]); i++)
		link = bpf_program__attach_kprobe(th->skel->progs.stream_is_read, false, names[i]);
	th->skel->links.stream_is_read = link;
	return link ? 0 : -errno;
}

static int thefts_start(struct thefts *th)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	th->skel = stream_reads_bpf__open_and_load();
	if (!th->skel)
		return -errno;
	/* In a PID namespace getpid() is another number than the kernel's. */
	err = bpf_prog_test_run_opts(bpf_program__fd(th->skel->progs.rqspin_reader), &opts);
	return err ?: thefts_attach(th);
}

struct thefts *thefts_open(void)
{
	struct thefts *th = calloc(1, sizeof(*th));
	int err;

	if (!th)
		return NULL;
	log_trying(true);
	err = thefts_start(th);
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

static bool theft_matters(const struct stream_read *read, struct proginfos *progs)
{
	const struct proginfo *p = proginfos_by_id(progs, read->prog_id);

	return p && !p->unread ? !p->own && proginfo_may_lock(p) : !own_name(read->name);
}

bool thefts_any(struct thefts *th, struct proginfos *progs)
{
	__u64 nr = th ? __atomic_load_n(&th->skel->bss->nr_reads, __ATOMIC_ACQUIRE) : 0;
	bool any = th && nr - th->seen > STREAM_READS;

	for (; th && !any && th->seen < nr; th->seen++)
		any = theft_matters(&th->skel->bss->reads[th->seen % STREAM_READS], progs);
	if (th)
		th->seen = nr;
	return any;
}
