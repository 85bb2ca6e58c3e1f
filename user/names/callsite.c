// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

#include "counted.h"
#include "names/callsite.h"
#include "names/ksyms.h"
#include "names/proginfo.h"

bool callsite_find(const struct proginfo *progs, struct ksyms *ks, __u64 addr, __u64 when_ns,
		   struct callsite *site)
{
	const struct proginfo *p;
	__u64 off;
	__u32 nth;
	bool data;

	*site = (struct callsite){ 0 };
	if (!addr)
		return false;
	p = proginfo_by_addr(progs, addr, when_ns, &nth);
	site->prog = p;
	if (p)
		site->line = proginfo_nth_line(p, nth, site->file, sizeof(site->file));
	site->counting = p && !strcmp(site->file, COUNTED_FILE);
	if (!site->line)
		site->file[0] = 0;
	if (!p && ks)
		site->function = ksyms_find(ks, addr, &off, &data);
	return site->prog || site->function;
}
