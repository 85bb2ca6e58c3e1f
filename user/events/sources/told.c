// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "names/ksyms.h"
#include "names/proginfo.h"
#include "counted.h"
#include "events/sources/told.h"
#include "events/session.h"
#include "events/sources/witness_ring.h"

static_assert(WITNESS_HOPS == CHAIN_HOPS, "one is copied into the other");

static void held_set(__u64 *held, __u32 *nr, bool *some, __u64 lock)
{
	held[0] = lock;
	*nr = 1;
	*some = true;
}

static struct failure_hop hop_of(const struct witness_hop *h)
{
	return (struct failure_hop){ .cpu = h->cpu, .tid = h->tid, .wants = h->lock, .at = h->ip };
}

static void set_chain(const struct witness_told *told, const struct witness_chain *d,
		      struct failure *f)
{
	const struct witness *w = &told->w;
	__u32 nr = w->nr_hops < CHAIN_HOPS ? w->nr_hops : CHAIN_HOPS;

	if (!nr)
		return;
	f->ev.parties = nr + 1;
	f->ev.owner_wants = w->locks[0];
	/* The cycle closes at this lock. */
	held_set(f->ev.held, &f->ev.nr_held, &f->some_held, w->locks[1]);
	if (nr == 1)
		f->chain[0] = hop_of(&told->first);
	for (__u32 i = 0; d && i < nr; i++)
		f->chain[i] = hop_of(&d->hops[i]);
	f->nr_chain = d || nr == 1 ? nr : 0;
}

void told_failure(const struct witness_told *told, const struct witness_chain *d, struct failure *f)
{
	const struct witness *w = &told->w;
	struct rqspin_event *ev = &f->ev;

	witness_facts(w, f);
	f->told = true;
	ev->kind = w->told <= RQSPIN_NESTED ? w->told : RQSPIN_UNKNOWN;
	ev->owner_cpu = w->owner;
	ev->nr_held = ev->nr_owner_held = HELD_UNKNOWN;
	if (w->owner >= 0) {
		held_set(ev->owner_held, &ev->nr_owner_held, &f->some_owner_held, w->lock);
		witness_owner(&told->owner, f);
	}
	if (ev->kind == RQSPIN_AA) {
		ev->parties = 1;
		held_set(ev->held, &ev->nr_held, &f->some_held, w->lock);
	}
	set_chain(told, d, f);
}

/* Return addresses, innermost first; all: the stack is not truncated. */
struct stack {
	const __u64 *at;
	__s64 depth;
	bool all;
};

static struct stack stack_of(const struct witness_told *told, const struct witness_chain *d)
{
	bool whole = d && d->stack_len > 0;
	__s64 len = whole ? d->stack_len : told->stack_len;
	__s64 room = whole ? WITNESS_STACK : WITNESS_FRAMES, depth = len / (__s64)sizeof(__u64);

	return (struct stack){
		.at = whole ? d->stack : told->stack,
		.depth = depth < room ? depth : room,
		.all = depth < room,
	};
}

/* Is it the entry of an interrupt? Frames further out did not call for the lock. */
static bool is_entry(const char *name)
{
	static const char *const entries[] = {
		"asm_", "el1h_", "el1t_", "end_repeat_nmi", "handle_softirqs", "__do_softirq"
	};

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (!strncmp(name, entries[i], strlen(entries[i])))
			return true;
	return false;
}

static const char *name_of(struct ksyms *ks, __u64 addr)
{
	__u64 off;
	bool data;

	return ks ? ksyms_find(ks, addr, &off, &data) : NULL;
}

/* In a lock function that `rqspin run` added, the next frame is the program's call. */
static void set_line(struct failure *f, const struct proginfo *progs, const struct stack *stack,
		     __s64 i, __u64 ts_ns)
{
	__u32 nth;

	for (; i < stack->depth && proginfo_by_addr(progs, stack->at[i], ts_ns, &nth) == f->prog;
	     i++) {
		f->ev.line = proginfo_nth_line(f->prog, nth, f->file, sizeof(f->file));
		if (strcmp(f->file, COUNTED_FILE))
			return;
		f->file[0] = 0;
	}
}

static bool is_tracer(const struct proginfo *p, __u32 own_id)
{
	return p && (own_id ? p->id == own_id : p->own);
}

bool told_program(const struct witness_told *told, const struct witness_chain *d,
		  const struct proginfo *progs, struct ksyms *ks, __u32 own_id, struct failure *f)
{
	struct stack stack = stack_of(told, d);
	bool own = false, behind = false;
	__u32 nth;

	for (__s64 i = 0; i < stack.depth; i++) {
		const struct proginfo *p;
		const char *name;

		p = proginfo_by_addr(progs, stack.at[i], told->w.ts_ns, &nth);
		name = p ? NULL : name_of(ks, stack.at[i]);
		if (p && !is_tracer(p, own_id)) {
			f->prog = p;
			f->prog_id = p->id;
			set_line(f, progs, &stack, i, told->w.ts_ns);
			return true;
		}
		/*
		 * Neither a program nor a kernel function: perhaps a program that came and went
		 * since the last look.
		 */
		if (own && !behind && !p && !name)
			return false;
		if (own && name && is_entry(name))
			return true;
		/*
		 * If the tracer's program is not on the stack, the kernel hides the addresses of
		 * programs. The frame behind it is the trampoline.
		 */
		behind = is_tracer(p, own_id);
		own |= behind;
	}
	return own && stack.all;
}

/* Is it a function between the tracepoint, or the traced function, and the tracer's program? */
static bool is_tracing(const char *name)
{
	static const char *const names[] = { "bpf_trace_run", "__bpf_trace_", "__traceiter_",
					     "bpf_trampoline_" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void put_frame(FILE *out, const struct proginfo *progs, struct ksyms *ks, __u64 addr)
{
	const struct proginfo *p;
	const char *name;
	__u64 off;
	__u32 nth;
	bool data;

	p = proginfo_by_addr(progs, addr, 0, &nth);
	name = p ? NULL : ksyms_find(ks, addr, &off, &data);
	if (p)
		fprintf(out, " program %u %s\n", p->id, p->full_name);
	else if (name)
		fprintf(out, " %s+0x%llx\n", name, (unsigned long long)off);
	else
		fputs(" ?\n", out);
}

/* Number of frames that are the tracer's; all of them if that is unknown. */
static __s64 tracing_frames(const struct stack *stack, const struct proginfo *progs,
			    struct ksyms *ks)
{
	__s64 skip = stack->depth;

	for (__s64 i = 0; i < stack->depth; i++) {
		const char *name = name_of(ks, stack->at[i]);
		const struct proginfo *p;
		__u32 nth;

		p = name ? NULL : proginfo_by_addr(progs, stack->at[i], 0, &nth);
		/* A trampoline that is newer than the list of names has no name. */
		if ((name && is_tracing(name)) || (p && p->own) || (!name && !p && skip == i))
			skip = i + 1;
		else if (skip < stack->depth)
			break;
	}
	return skip;
}

char *told_trace(const struct witness_told *told, const struct witness_chain *d,
		 const struct proginfo *progs, struct ksyms *ks)
{
	struct stack stack = stack_of(told, d);
	__s64 at = ks && stack.depth > 0 ? tracing_frames(&stack, progs, ks) : stack.depth;
	char *text = NULL;
	size_t size;
	FILE *out;

	out = at < stack.depth ? open_memstream(&text, &size) : NULL;
	if (!out)
		return NULL;
	fputs("Call trace:\n", out);
	for (; at < stack.depth; at++)
		put_frame(out, progs, ks, stack.at[at]);
	fclose(out);
	return text;
}
