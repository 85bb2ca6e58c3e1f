// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "names/progaddr.h"

void progaddr_free(struct progaddr *pa)
{
	free(pa->funcs);
	free(pa->sizes);
	free(pa->lines);
	memset(pa, 0, sizeof(*pa));
}

static __u32 number_min(__u32 a, __u32 b)
{
	return a < b ? a : b;
}

static bool progaddr_allocate(struct progaddr *pa, const struct bpf_prog_info *head)
{
	pa->funcs = calloc(head->nr_jited_ksyms + 1, sizeof(*pa->funcs));
	pa->sizes = calloc(head->nr_jited_func_lens + 1, sizeof(*pa->sizes));
	pa->lines = calloc(head->nr_jited_line_info + 1, sizeof(*pa->lines));
	return pa->funcs && pa->sizes && pa->lines;
}

void progaddr_read(struct progaddr *pa, int prog_fd)
{
	struct bpf_prog_info head = {}, info = {};
	__u32 head_len = sizeof(head), len = sizeof(info);

	if (bpf_prog_get_info_by_fd(prog_fd, &head, &head_len) || !progaddr_allocate(pa, &head))
		return;
	info.nr_jited_ksyms = head.nr_jited_ksyms;
	info.jited_ksyms = (uintptr_t)pa->funcs;
	info.nr_jited_func_lens = head.nr_jited_func_lens;
	info.jited_func_lens = (uintptr_t)pa->sizes;
	info.nr_jited_line_info = head.nr_jited_line_info;
	info.jited_line_info_rec_size = sizeof(*pa->lines);
	info.jited_line_info = (uintptr_t)pa->lines;
	if (bpf_prog_get_info_by_fd(prog_fd, &info, &len))
		return;
	/* The kernel sets the pointers to NULL if this process may not see addresses. */
	if (info.jited_ksyms && info.jited_func_lens)
		pa->nr_funcs =
			number_min(number_min(head.nr_jited_ksyms, info.nr_jited_ksyms),
				   number_min(head.nr_jited_func_lens, info.nr_jited_func_lens));
	if (info.jited_line_info)
		pa->nr_lines = number_min(head.nr_jited_line_info, info.nr_jited_line_info);
}

static __u32 line_at(const struct progaddr *pa, __u64 func, __u64 at)
{
	__u32 found = PROGADDR_NO_LINE;
	__u64 latest = 0;

	for (__u32 i = 0; i < pa->nr_lines; i++) {
		if (pa->lines[i] < func || pa->lines[i] > at || pa->lines[i] < latest)
			continue;
		latest = pa->lines[i];
		found = i;
	}
	return found;
}

bool progaddr_find(const struct progaddr *pa, __u64 addr, __u32 *nth)
{
	__u64 at = addr - 1; /* in the call, not behind it */

	for (__u32 i = 0; i < pa->nr_funcs; i++) {
		if (at < pa->funcs[i] || at - pa->funcs[i] >= pa->sizes[i])
			continue;
		*nth = line_at(pa, pa->funcs[i], at);
		return true;
	}
	return false;
}
