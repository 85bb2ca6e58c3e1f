// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Watch the kernel write its reports of failed program locks: the tables of
 * held locks are copied when it looks for the program, before the milliseconds
 * that formatting takes; the text when it is complete.
 */
#include <vmlinux.h>

#include "witness.bpf.h"

#define STDERR	   2
#define MAX_PIECES 64
#define PIECE	   128
#define KEPT	   (WITNESS_TEXT / PIECE) /* the oldest: what failed, then the call trace */

/* Our own view of structures that kernels before 6.17 lack. */
struct bpf_stream_elem___own {
	struct llist_node node;
	int total_len;
	char str[];
} __attribute__((preserve_access_index));

struct bpf_stream_stage___own {
	struct llist_head log;
} __attribute__((preserve_access_index));

/* What was seen when a report began, until it is complete. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct witness);
} early SEC(".maps");

static const __u32 zero;

SEC("fexit/bpf_prog_find_from_stack")
int BPF_PROG(report_begins, struct bpf_prog *prog)
{
	struct witness *w = bpf_map_lookup_elem(&early, &zero);

	if (!w || !prog)
		return 0;
	w->ts_ns = bpf_ktime_get_ns();
	w->cpu = bpf_get_smp_processor_id();
	w->prog_id = BPF_CORE_READ(prog, aux, id);
	witness_copy_tables(w);
	return 0;
}

static __always_inline void use_early(struct witness *w)
{
	struct witness *e = bpf_map_lookup_elem(&early, &zero);

	/* One report at a time per CPU and program; anything else is not this report's beginning.
	 */
	if (!e || e->prog_id != w->prog_id || e->cpu != w->cpu) {
		witness_copy_tables(w);
		return;
	}
	w->ts_ns = e->ts_ns;
	w->own = e->own;
	w->nr_tables = e->nr_tables;
	w->tables_left_out = e->tables_left_out;
	bpf_probe_read_kernel(w->tables, sizeof(w->tables), e->tables);
	e->prog_id = 0;
}

static __always_inline __u32 copy_piece(struct witness *w, struct llist_node *node, __u32 at)
{
	void *text = (void *)node + bpf_core_field_offset(struct bpf_stream_elem___own, str);
	long n;

	if (at > WITNESS_TEXT - PIECE)
		return at;
	n = bpf_probe_read_kernel_str(&w->text[at], PIECE, text);
	return n > 0 ? at + n : at;
}

/* The list has the newest piece first. */
static __always_inline void copy_text(struct witness *w, struct llist_node *first)
{
	struct llist_node *node = first;
	__u32 len = 0, pieces = 0, i;

	bpf_for(i, 0, MAX_PIECES) {
		if (!node)
			break;
		pieces++;
		node = BPF_CORE_READ(node, next);
	}
	node = first;
	bpf_for(i, 0, MAX_PIECES) {
		if (!node)
			break;
		if (i + KEPT >= pieces)
			len = copy_piece(w, node, len);
		node = BPF_CORE_READ(node, next);
	}
	w->text_len = len;
}

SEC("fentry/bpf_stream_stage_commit")
int BPF_PROG(report_complete, struct bpf_stream_stage___own *stage, struct bpf_prog *prog,
	     int stream_id)
{
	struct witness *w;
	__u64 seq;

	if (stream_id != STDERR)
		return 0;
	w = witness_reserve(&seq);
	if (!w)
		return 0;
	w->kind = WITNESS_REPORT;
	w->prog_id = BPF_CORE_READ(prog, aux, id);
	use_early(w);
	copy_text(w, BPF_CORE_READ(stage, log.first));
	witness_publish(w, seq);
	return 0;
}
