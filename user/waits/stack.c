// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <string.h>

#include "names/callsite.h"
#include "names/ksyms.h"
#include "names/lockname.h"
#include "output/lock_view.h"
#include "waits/stack.h"

static bool is_slow_path(const char *function)
{
	return strstr(function, "res_spin_") || !strncmp(function, "resilient_", 10);
}

static const char *function_at(struct ksyms *ks, __u64 ip)
{
	__u64 off;
	bool data;

	return ksyms_find(ks, ip, &off, &data) ?: "";
}

/*
 * The tracer's own frames and those of the lock come first. Further out there may be another wait,
 * which this one interrupted.
 */
static int first_caller(const __u64 *ips, struct ksyms *ks)
{
	int i = 0;

	while (i < WAITS_FRAMES && ips[i] && !is_slow_path(function_at(ks, ips[i])))
		i++;
	while (i < WAITS_FRAMES && ips[i] && is_slow_path(function_at(ks, ips[i])))
		i++;
	return i;
}

int wait_stack_first(const struct waits_entry *e, const struct lock_view *v)
{
	int i = first_caller(e->ips, locknames_ksyms(v->names));
	struct callsite site;

	for (; i < WAITS_FRAMES && e->ips[i]; i++) {
		callsite_find(v->progs, locknames_ksyms(v->names), e->ips[i], e->when_ns, &site);
		if (!site.counting)
			break;
	}
	return i;
}

const struct proginfo *wait_stack_prog(const struct waits_entry *e, const struct lock_view *v)
{
	struct callsite site = { 0 };

	for (int i = wait_stack_first(e, v); i < WAITS_FRAMES && e->ips[i] && !site.prog; i++)
		callsite_find(v->progs, locknames_ksyms(v->names), e->ips[i], e->when_ns, &site);
	return site.prog;
}

bool wait_stack_has_unknown(const struct waits_entry *e, const struct lock_view *v)
{
	struct callsite site;

	for (int i = wait_stack_first(e, v); i < WAITS_FRAMES && e->ips[i]; i++)
		if (!callsite_find(v->progs, locknames_ksyms(v->names), e->ips[i], e->when_ns,
				   &site))
			return true;
	return false;
}
