// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "base/log.h"
#include "names/proginfo.h"
#include "trace/perf_rings.h"
#include "trace/wake.h"

#define NAMES	1024 /* the latest */
#define TAG_HEX 16   /* "bpf_prog_<tag>_<name>" */
#define PREFIX	"bpf_prog_"
#define SYMBOL	512 /* bytes, as the kernel has it */

struct wake {
	struct perf_rings rings;
	struct wake_names *names;
};

struct wake_names {
	struct wake_prog progs[NAMES];
	__u32 next, newest;
	char symbol[SYMBOL]; /* of the latest program: it comes before the record that has the id */
	struct wake_prog code; /* what its symbols say, until then */
	size_t room;
};

/* perf_event_open(2): what follows the header. */
struct record_symbol {
	__u64 addr;
	__u32 len;
	__u16 type, flags;
	char name[];
};

struct record_prog {
	__u16 type, flags;
	__u32 id;
	__u8 tag[8];
};

struct wake_names *wake_names_new(void)
{
	return calloc(1, sizeof(struct wake_names));
}

__u32 wake_names_newest(const struct wake_names *wn)
{
	return wn->newest;
}

const struct wake_prog *wake_names_find(const struct wake_names *wn, __u32 prog_id)
{
	for (size_t i = 0; prog_id && i < NAMES; i++)
		if (wn->progs[i].id == prog_id)
			return &wn->progs[i];
	return NULL;
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
	if (wn)
		prog_forget(&wn->code);
	free(wn);
}

static bool has_tag(const struct wake_names *wn, const __u8 tag[8])
{
	char hex[TAG_HEX + 1];

	for (size_t i = 0; i < TAG_HEX / 2; i++)
		sprintf(hex + 2 * i, "%02x", tag[i]);
	return !strncmp(wn->symbol + strlen(PREFIX), hex, TAG_HEX);
}

static void prog_add(struct wake_names *wn, __u32 id)
{
	const char *name = wn->symbol + strlen(PREFIX) + TAG_HEX;
	struct wake_prog *p = &wn->progs[wn->next];

	prog_forget(p);
	*p = wn->code;
	wn->code = (struct wake_prog){ 0 };
	p->id = id;
	name += *name == '_';
	memcpy(p->name, name, strnlen(name, WAKE_NAME - 1));
	p->full_name = strdup(name);
	wn->next = (wn->next + 1) % NAMES;
}

static void on_prog(struct wake_names *wn, const struct record_prog *r, __u64 when_ns)
{
	struct wake_prog *p;

	if (r->id > wn->newest)
		wn->newest = r->id;
	if (has_tag(wn, r->tag) && !wake_names_find(wn, r->id))
		prog_add(wn, r->id);
	p = (struct wake_prog *)wake_names_find(wn, r->id);
	if (p && r->type == PERF_BPF_EVENT_PROG_LOAD)
		p->born_ns = when_ns;
	if (p && r->type == PERF_BPF_EVENT_PROG_UNLOAD)
		p->gone_ns = when_ns;
	wn->symbol[0] = 0;
	prog_forget(&wn->code);
}

static void code_add(struct wake_names *wn, const struct record_symbol *r)
{
	size_t nr = wn->code.nr_funcs, sizes = nr;

	if (grow_append((void **)&wn->code.starts, &nr, &r->addr, sizeof(r->addr)))
		return;
	if (!grow_append((void **)&wn->code.sizes, &sizes, &r->len, sizeof(r->len)))
		wn->code.nr_funcs++;
}

/* A program's symbols, its own first, then those of its subprograms, then the program. */
static void on_symbol(struct wake_names *wn, const struct record_symbol *r, size_t room)
{
	if (room < strlen(PREFIX) || memcmp(r->name, PREFIX, strlen(PREFIX)))
		return;
	code_add(wn, r);
	if (wn->symbol[0])
		return;
	if (room >= sizeof(wn->symbol))
		room = sizeof(wn->symbol) - 1;
	memcpy(wn->symbol, r->name, room);
	memset(wn->symbol + room, 0, sizeof(wn->symbol) - room);
}

/* The time comes last: PERF_SAMPLE_TIME of sample_id_all. */
static __u64 record_time(const struct perf_event_header *h)
{
	__u64 when_ns;

	memcpy(&when_ns, (const char *)h + h->size - sizeof(when_ns), sizeof(when_ns));
	return when_ns;
}

void wake_names_read(struct wake_names *wn, const void *records, size_t size)
{
	const char *at = records, *end = at + size;
	const struct perf_event_header *h;

	for (; (size_t)(end - at) >= sizeof(*h); at += h->size) {
		h = (const void *)at;
		if (h->size < sizeof(*h) || h->size > end - at)
			return;
		if (h->type == PERF_RECORD_KSYMBOL &&
		    h->size > sizeof(*h) + sizeof(struct record_symbol) + sizeof(__u64))
			on_symbol(wn, (const void *)(at + sizeof(*h)),
				  h->size - sizeof(*h) - sizeof(struct record_symbol) -
					  sizeof(__u64));
		else if (h->type == PERF_RECORD_BPF_EVENT &&
			 h->size >= sizeof(*h) + sizeof(struct record_prog) + sizeof(__u64))
			on_prog(wn, (const void *)(at + sizeof(*h)), record_time(h));
	}
}

struct wake *wake_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.bpf_event = 1,
		.ksymbol = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	struct wake *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->names = wake_names_new();
	if (!w->names || perf_rings_open(&w->rings, &attr, -1, NULL))
		pr_debug("perf events are refused: new programs are noticed by polling");
	return w;
}

void wake_close(struct wake *w)
{
	if (!w)
		return;
	perf_rings_close(&w->rings);
	wake_names_free(w->names);
	free(w);
}

static void take_records(void *names, const void *records, size_t size)
{
	wake_names_read(names, records, size);
}

int wake_wait(struct wake *w, int ms)
{
	int n = poll(w->rings.fds, w->rings.nr, ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; n > 0 && i < w->rings.nr; i++)
		if (w->rings.fds[i].revents)
			perf_rings_read(&w->rings, i, take_records, w->names);
	return 0;
}

static void read_rings(struct wake *w)
{
	for (int i = 0; i < w->rings.nr; i++)
		perf_rings_read(&w->rings, i, take_records, w->names);
}

__u32 wake_newest_prog(struct wake *w)
{
	read_rings(w);
	return w->names ? wake_names_newest(w->names) : 0;
}

const struct wake_prog *wake_prog_find(struct wake *w, __u32 prog_id)
{
	read_rings(w);
	return w->names ? wake_names_find(w->names, prog_id) : NULL;
}

bool wake_prog_name(struct wake *w, __u32 prog_id, char name[WAKE_NAME])
{
	const struct wake_prog *p = wake_prog_find(w, prog_id);

	if (p)
		memcpy(name, p->name, WAKE_NAME);
	return p;
}

static __u32 newest_of(void *wake)
{
	return wake_newest_prog(wake);
}

static bool brief_of(void *wake, __u32 id, struct proginfo_brief *brief)
{
	const struct wake_prog *p = wake_prog_find(wake, id);

	if (!p || !p->full_name)
		return false;
	*brief = (struct proginfo_brief){
		.id = p->id,
		.name = p->full_name,
		.born_ns = p->born_ns,
		.gone_ns = p->gone_ns,
		.starts = p->starts,
		.sizes = p->sizes,
		.nr_funcs = p->nr_funcs,
	};
	return true;
}

void wake_witness(struct wake *w, struct proginfos *progs)
{
	proginfos_ask(progs, &(struct proginfo_witness){ newest_of, brief_of, w });
}
