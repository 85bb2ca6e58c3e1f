// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Watch the kernel write its reports of failed program locks. The tables of held
 * locks are copied when the kernel looks up the program, before it spends
 * milliseconds on formatting; the text is copied when it is complete.
 */
#include <vmlinux.h>

#define WITNESS		struct witness
#define WITNESS_DETAILS struct witness_report
#include "witness.h"
#include "witness.bpf.h"
#include "witness_names.bpf.h"

#define STDERR	   2
#define MAX_PIECES 1024 /* more than the frames of a stack */
#define PIECE	   128
#define LONG_PIECE 384			  /* a frame and its line of source are one */
#define KEPT	   (WITNESS_TEXT / PIECE) /* the oldest; power of two */
#define HEX	   16			  /* digits of an address at most */

/* Our own view of structures that kernels before 6.17 lack. */
struct bpf_stream_elem___own {
	struct llist_node node;
	int total_len;
	char str[];
} __attribute__((preserve_access_index));

struct bpf_stream_stage___own {
	struct llist_head log;
	int len; /* of all pieces, with those that were left out: no memory, or too long */
} __attribute__((preserve_access_index));

/* What was seen when a report began, until it is complete. */
struct early {
	__u64 ts_ns;
	__u32 cpu;
	__u32 prog_id;
	struct witness_tables t;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct early);
} early SEC(".maps");

/* A report's oldest pieces: what failed, which lock, then the call trace. */
struct head {
	struct llist_node *kept[KEPT];
	__u32 pieces;
	__s32 len;
};

static const __u32 zero;

SEC("fexit/bpf_prog_find_from_stack")
int BPF_PROG(report_begins, struct bpf_prog *prog)
{
	struct early *e = bpf_map_lookup_elem(&early, &zero);

	if (!e || !prog)
		return 0;
	e->ts_ns = bpf_ktime_get_ns();
	e->cpu = bpf_get_smp_processor_id();
	e->prog_id = BPF_CORE_READ(prog, aux, id);
	witness_copy_tables(&e->t, e->cpu);
	return 0;
}

static __always_inline void use_early(struct witness *w, struct witness_tables *t)
{
	struct early *e = bpf_map_lookup_elem(&early, &zero);

	/* One report at a time per CPU and program: else it is not this report's beginning. */
	if (!e || e->prog_id != w->prog_id || e->cpu != w->cpu) {
		witness_copy_tables(t, w->cpu);
		return;
	}
	w->ts_ns = e->ts_ns;
	t->own = e->t.own;
	t->nr_tables = e->t.nr_tables;
	t->tables_left_out = e->t.tables_left_out;
	bpf_probe_read_kernel(t->tables, sizeof(t->tables), e->t.tables);
	e->prog_id = 0;
}

static __always_inline long read_piece(char *to, __u32 size, struct llist_node *node)
{
	struct bpf_stream_elem___own *elem = (void *)node;
	__u32 room = BPF_CORE_READ(elem, total_len) + 1;
	void *text = (void *)elem + bpf_core_field_offset(struct bpf_stream_elem___own, str);

	/* The kernel does not write a 0 behind the text. */
	return bpf_probe_read_kernel_str(to, room < size ? room : size, text);
}

/* The list has the newest piece first. False: its end was not reached. */
static __always_inline bool find_head(struct head *h, struct llist_node *node)
{
	__u32 i;

	bpf_for(i, 0, MAX_PIECES) {
		if (!node)
			return true;
		h->kept[i % KEPT] = node;
		h->pieces = i + 1;
		h->len += BPF_CORE_READ((struct bpf_stream_elem___own *)node, total_len);
		node = BPF_CORE_READ(node, next);
	}
	return !node;
}

/* The piece that was written as number i, counted from 0. */
static __always_inline struct llist_node *report_piece(const struct head *h, __u32 i)
{
	return i < h->pieces ? h->kept[(h->pieces - 1 - i) % KEPT] : NULL;
}

static __always_inline bool is_error(struct llist_node *node)
{
	static const char error[] = "ERROR:";
	char text[PIECE] = {};

	read_piece(text, sizeof(text), node);
	return !bpf_strncmp(text, sizeof(error) - 1, error);
}

/* The errno of a lock's report; 0 if it is about something else. */
static __always_inline int report_errno(struct llist_node *node)
{
	static const char deadlock[] = "ERROR: AA or ABBA deadlock detected for bpf_res_spin_lock";
	static const char timeout[] = "ERROR: Timeout detected for bpf_res_spin_lock";
	char text[PIECE] = {};

	read_piece(text, sizeof(text), node);
	if (!bpf_strncmp(text, sizeof(deadlock) - 1, deadlock))
		return -EDEADLK;
	if (!bpf_strncmp(text, sizeof(timeout) - 1, timeout))
		return -ETIMEDOUT;
	return 0;
}

/* "Attempted lock   = 0xffff888100004008" */
static __always_inline __u64 report_lock(struct llist_node *node)
{
	static const char attempted[] = "Attempted lock";
	char text[PIECE] = {};
	__u32 i, digits = 0;
	bool hex = false;
	__u64 addr = 0;

	if (!node)
		return 0;
	read_piece(text, sizeof(text), node);
	if (bpf_strncmp(text, sizeof(attempted) - 1, attempted))
		return 0;
	bpf_for(i, 0, PIECE) {
		char c = text[i];

		if (!hex) {
			hex = c == 'x';
			continue;
		}
		if (c >= '0' && c <= '9')
			addr = addr << 4 | (c - '0');
		else if (c >= 'a' && c <= 'f')
			addr = addr << 4 | (c - 'a' + 10);
		else
			break;
		if (++digits == HEX)
			break;
	}
	return addr;
}

static __always_inline __u32 copy_piece(struct witness_report *r, struct llist_node *node, __u32 at)
{
	long n;

	if (at > WITNESS_TEXT - LONG_PIECE)
		return at;
	n = read_piece(&r->text[at], LONG_PIECE, node);
	return n > 0 ? at + n : at;
}

static __always_inline void copy_text(struct witness_report *r, const struct head *h)
{
	__u32 len = 0, i;

	bpf_for(i, 0, KEPT) {
		struct llist_node *node = report_piece(h, i);

		if (!node)
			break;
		len = copy_piece(r, node, len);
	}
	r->text_len = len;
}

static __always_inline void write_report(const struct head *head, int err,
					 const struct bpf_prog *prog, bool whole)
{
	struct witness_report *d;
	struct witness_place at;
	struct witness *w;

	w = witness_reserve(&at);
	if (!w)
		return;
	w->kind = WITNESS_REPORT;
	w->prog_id = BPF_CORE_READ(prog, aux, id);
	w->err = err;
	w->lock = report_lock(report_piece(head, 1));
	d = witness_details(&at, w);
	if (d) {
		use_early(w, &d->t);
		copy_text(d, head);
		d->cut = !whole;
		witness_use_own(w, &d->t.own, false);
	}
	witness_count(&at, w, witness_mix(witness_mix(w->prog_id, w->lock), w->told));
	names_record(names_begin(&at), (__u64)BPF_CORE_READ(prog, aux), w);
	witness_publish(&at, w, d);
}

SEC("fentry/bpf_stream_stage_commit")
int BPF_PROG(report_complete, struct bpf_stream_stage___own *stage, struct bpf_prog *prog,
	     int stream_id)
{
	struct head head = {};
	struct llist_node *first;
	bool whole;
	int err;

	if (stream_id != STDERR)
		return 0;
	whole = find_head(&head, BPF_CORE_READ(stage, log.first)) &&
		head.len == BPF_CORE_READ(stage, len);
	first = report_piece(&head, 0);
	err = first ? report_errno(first) : 0;
	if (err)
		write_report(&head, err, prog, whole);
	else if (!first || (!whole && !is_error(first)))
		witness_unsure(); /* the piece before may have been a lock's */
	return 0;
}
