// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trace/perf_rings.h"
#include "trace/wake.h"

#define NAMES	1024 /* the latest */
#define TAG_HEX 16   /* "bpf_prog_<tag>_<name>" */
#define PREFIX	"bpf_prog_"

struct wake {
	struct perf_rings rings;
	struct wake_names *names;
};

struct wake_names {
	struct {
		__u32 id;
		char name[WAKE_NAME];
	} progs[NAMES];
	__u32 next, newest;
	char symbol[64]; /* the latest: it comes before the record that has the id */
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

bool wake_names_find(const struct wake_names *wn, __u32 prog_id, char name[WAKE_NAME])
{
	for (size_t i = 0; i < NAMES; i++) {
		if (wn->progs[i].id != prog_id)
			continue;
		memcpy(name, wn->progs[i].name, WAKE_NAME);
		return prog_id != 0;
	}
	return false;
}

static void on_prog(struct wake_names *wn, const struct record_prog *r)
{
	const char *name = wn->symbol + strlen(PREFIX) + TAG_HEX;
	char known[WAKE_NAME], tag[TAG_HEX + 1];

	if (r->id > wn->newest)
		wn->newest = r->id;
	for (size_t i = 0; i < sizeof(r->tag); i++)
		sprintf(tag + 2 * i, "%02x", r->tag[i]);
	if (strncmp(wn->symbol + strlen(PREFIX), tag, TAG_HEX) || wake_names_find(wn, r->id, known))
		return;
	wn->progs[wn->next].id = r->id;
	memset(wn->progs[wn->next].name, 0, WAKE_NAME);
	if (*name == '_')
		memcpy(wn->progs[wn->next].name, name + 1, strnlen(name + 1, WAKE_NAME - 1));
	wn->next = (wn->next + 1) % NAMES;
}

/* A program's symbols, its own first, then those of its subprograms, then the program. */
static void on_symbol(struct wake_names *wn, const char *name, size_t room)
{
	if (wn->symbol[0] || room < strlen(PREFIX) || memcmp(name, PREFIX, strlen(PREFIX)))
		return;
	if (room >= sizeof(wn->symbol))
		room = sizeof(wn->symbol) - 1;
	memcpy(wn->symbol, name, room);
	memset(wn->symbol + room, 0, sizeof(wn->symbol) - room);
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
		    h->size > sizeof(*h) + sizeof(struct record_symbol)) {
			on_symbol(wn, at + sizeof(*h) + offsetof(struct record_symbol, name),
				  h->size - sizeof(*h) - offsetof(struct record_symbol, name));
		} else if (h->type == PERF_RECORD_BPF_EVENT &&
			   h->size >= sizeof(*h) + sizeof(struct record_prog)) {
			on_prog(wn, (const void *)(at + sizeof(*h)));
			wn->symbol[0] = 0;
		}
	}
}

struct wake *wake_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.bpf_event = 1,
		.ksymbol = 1,
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
	free(w->names);
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

bool wake_prog_name(struct wake *w, __u32 prog_id, char name[WAKE_NAME])
{
	read_rings(w);
	return w->names && wake_names_find(w->names, prog_id, name);
}
