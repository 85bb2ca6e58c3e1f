// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "base/out.h"
#include "names/lockname.h"
#include "names/proginfo.h"
#include "output/alike.h"
#include "output/failure_json.h"
#include "output/failure_text.h"
#include "output/lock_view.h"
#include "output/print.h"
#include "output/print_opts.h"
#include "output/wait_view.h"
#include "events/session.h"

static struct lock_view lock_view_of(struct session *s, const struct failure *f,
				     const struct print_opts *opts)
{
	return (struct lock_view){
		.names = session_locks(s),
		.when_ns = f->ev.ts_ns,
		.prog = f->prog,
		.progs = proginfos_first(session_progs(s)),
		.no_addr = opts->no_addr,
	};
}

int print_repeat(struct session *s, const struct failure *first, const struct lockname *wanted,
		 unsigned long long again, const struct print_opts *opts)
{
	struct lock_view v = lock_view_of(s, first, opts);

	v.known = wanted;
	return (opts->json ? repeat_json : repeat_text)(first, &v, again);
}

char *print_body(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	const struct lock_view v = lock_view_of(s, f, opts);

	return opts->json ? failure_json_body(f, &v, opts->stacks) : failure_text_body(f, &v);
}

int print_failure(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	__u64 settled_ns = locknames_settled(session_locks(s), f->ev.ts_ns);
	bool own_text = opts->json && opts->stacks && f->report;
	const char *body = own_text ? NULL : alike_find(f, settled_ns);

	if (!body)
		body = alike_add(f, print_body(s, f, opts), !own_text);
	if (!body)
		return -ENOMEM;
	return opts->json ? failure_json(f, body) : failure_text(f, body, opts->stacks);
}

int print_wait(struct session *s, const struct failure *f, const struct print_opts *opts)
{
	const struct lock_view v = lock_view_of(s, f, opts);

	return opts->json ? wait_json(f, &v, opts->stacks) : wait_text(f, &v, opts->stacks);
}

void print_batch_over(void)
{
	alike_forget();
}

int print_summary(struct session *s, const struct trace_totals *t, const struct print_opts *opts)
{
	int err;

	if (opts->json)
		return summary_json(s, t);
	/* Where standard output and error are one file, the events come first. */
	err = out_flush();
	summary_text(t);
	return err;
}
