// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "events/failure.h"

const char *kind_name(__u32 kind)
{
	static const char *const names[] = {
		[RQSPIN_UNKNOWN] = "UNKNOWN", [RQSPIN_AA] = "AA",
		[RQSPIN_ABBA] = "ABBA",	      [RQSPIN_CYCLE] = "CYCLE",
		[RQSPIN_TIMEOUT] = "TIMEOUT", [RQSPIN_NESTED] = "NESTED",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "UNKNOWN";
}

void failure_owner_self(struct failure *f)
{
	const struct rqspin_event *ev = &f->ev;

	f->owner = (struct failure_task){ .known = true, .pid = ev->pid, .tid = ev->tid };
	memcpy(f->owner.comm, ev->comm, sizeof(f->owner.comm));
}
