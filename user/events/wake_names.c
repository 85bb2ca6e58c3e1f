// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "events/wake_names.h"

#define NAMES	1024 /* the latest programs, which are kept */
#define TAG_HEX 16   /* "bpf_prog_<tag>_<name>" */
#define PREFIX	"bpf_prog_"
#define SYMBOL	512 /* bytes, as the kernel has it */

/* State of one ring: symbols come before the record that has the id of their program. */
struct wake_pending {
	char symbol[SYMBOL]; /* the first */
	struct wake_prog code;
};

struct wake_names {
	struct wake_prog progs[NAMES];
	__u32 next, newest;
	bool lost; /* records were lost since the last wake_names_lost() */
	struct wake_pending *pending;
	int nr_rings;
};

/* perf_event_open(2): what follows the header. */
struct record_symbol {
	__u64 addr;
	__u32 len;
	__u16 type, flags;
	char name[];
};

/*
 * Some kernels count the bytes behind the time into the size, so that the time is not at the end.
 */
struct record_prog {
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
	__u64 when_ns; /* PERF_SAMPLE_TIME of sample_id_all */
};

struct wake_names *wake_names_new(int nr_rings)
{
	struct wake_names *wn = calloc(1, sizeof(*wn));

	if (!wn)
		return NULL;
	wn->nr_rings = nr_rings;
	wn->pending = calloc(nr_rings + 1, sizeof(*wn->pending));
	if (wn->pending)
		return wn;
	free(wn);
	return NULL;
}

__u32 wake_names_newest(const struct wake_names *wn)
{
	return wn->newest;
}

struct wake_prog *wake_names_noticed(struct wake_names *wn, __u32 id)
{
	for (size_t i = 0; id && i < NAMES; i++)
		if (wn->progs[i].id == id)
			return &wn->progs[i];
	return NULL;
}

const struct wake_prog *wake_names_find(struct wake_names *wn, __u32 prog_id)
{
	const struct wake_prog *p = wake_names_noticed(wn, prog_id);

	return p && p->full_name ? p : NULL;
}

static void prog_forget(struct wake_prog *p)
{
	free(p->full_name);
	free(p->starts);
	free(p->sizes);
	*p = (struct wake_prog){ 0 };
}

void wake_names_free(struct wake_names *wn)
{
	for (size_t i = 0; wn && i < NAMES; i++)
		prog_forget(&wn->progs[i]);
	for (int i = 0; wn && i < wn->nr_rings; i++)
		prog_forget(&wn->pending[i].code);
	if (wn)
		free(wn->pending);
	free(wn);
}

static bool has_tag(const struct wake_pending *wp, const __u8 tag[8])
{
	char hex[TAG_HEX + 1];

	for (size_t i = 0; i < TAG_HEX / 2; i++)
		sprintf(hex + 2 * i, "%02x", tag[i]);
	return wp->symbol[0] && !strncmp(wp->symbol + strlen(PREFIX), hex, TAG_HEX);
}

static struct wake_prog *prog_of(struct wake_names *wn, __u32 id)
{
	struct wake_prog *p = wake_names_noticed(wn, id);

	if (p)
		return p;
	p = &wn->progs[wn->next];
	wn->next = (wn->next + 1) % NAMES;
	prog_forget(p);
	p->id = id;
	return p;
}

/*
 * All symbols of the program have come: the kernel reports them when it is loaded and again when it
 * is unloaded.
 */
static struct wake_prog *prog_name(struct wake_names *wn, struct wake_pending *wp, __u32 id)
{
	const char *name = wp->symbol + strlen(PREFIX) + TAG_HEX;
	struct wake_prog *p = prog_of(wn, id);

	wp->code.id = id;
	wp->code.born_ns = p->born_ns;
	wp->code.gone_ns = p->gone_ns;
	name += *name == '_';
	memcpy(wp->code.name, name, strnlen(name, WAKE_NAME - 1));
	wp->code.full_name = strdup(name);
	prog_forget(p);
	*p = wp->code;
	wp->code = (struct wake_prog){ 0 };
	return p;
}

static void pending_forget(struct wake_pending *wp)
{
	wp->symbol[0] = 0;
	prog_forget(&wp->code);
}

static void on_prog(struct wake_names *wn, struct wake_pending *wp, const struct record_prog *r)
{
	struct wake_prog *p = has_tag(wp, r->tag) ? prog_name(wn, wp, r->id) : prog_of(wn, r->id);

	if (r->id > wn->newest)
		wn->newest = r->id;
	if (r->type == PERF_BPF_EVENT_PROG_LOAD)
		p->born_ns = r->when_ns;
	if (r->type == PERF_BPF_EVENT_PROG_UNLOAD)
		p->gone_ns = r->when_ns;
	pending_forget(wp);
}

static void code_add(struct wake_prog *code, const struct record_symbol *r)
{
	size_t nr = code->nr_funcs, sizes = nr;

	if (grow_append((void **)&code->starts, &nr, &r->addr, sizeof(r->addr)))
		return;
	if (!grow_append((void **)&code->sizes, &sizes, &r->len, sizeof(r->len)))
		code->nr_funcs++;
}

/*
 * Records come in this order: the program's own symbol, the symbols of its subprograms, the
 * program.
 */
static void on_symbol(struct wake_pending *wp, const struct record_symbol *r, size_t room)
{
	if (room < strlen(PREFIX) || memcmp(r->name, PREFIX, strlen(PREFIX)))
		return;
	code_add(&wp->code, r);
	if (wp->symbol[0])
		return;
	if (room >= sizeof(wp->symbol))
		room = sizeof(wp->symbol) - 1;
	memcpy(wp->symbol, r->name, room);
	memset(wp->symbol + room, 0, sizeof(wp->symbol) - room);
}

static void on_record(struct wake_names *wn, struct wake_pending *wp,
		      const struct perf_event_header *h)
{
	const void *body = h + 1;

	if (h->type == PERF_RECORD_LOST) {
		wn->lost = true;
		pending_forget(wp);
	} else if (h->type == PERF_RECORD_KSYMBOL &&
		   h->size > sizeof(*h) + sizeof(struct record_symbol)) {
		on_symbol(wp, body, h->size - sizeof(*h) - sizeof(struct record_symbol));
	} else if (h->type == PERF_RECORD_BPF_EVENT &&
		   h->size >= sizeof(*h) + sizeof(struct record_prog)) {
		on_prog(wn, wp, body);
	}
}

void wake_names_read(struct wake_names *wn, int ring, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	const struct perf_event_header *h;

	for (; (size_t)(end - at) >= sizeof(*h); at += h->size) {
		h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > end - at)
			return;
		on_record(wn, &wn->pending[ring], h);
	}
}

bool wake_names_lost(struct wake_names *wn)
{
	bool lost = wn->lost;

	wn->lost = false;
	return lost;
}
