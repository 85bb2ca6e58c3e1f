// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records of a ring, whose memory a program may fill with anything: the head and slots of a ring of
 * four are read, checked, and printed as by trace.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fuzz.h"
#include "names/lockname.h"
#include "output/failure_json.h"
#include "output/failure_text.h"
#include "output/lock_view.h"
#include "events/sources/event_valid.h"
#include "events/sources/ring.h"
#include "events/sources/ring_reader.h"
#include "events/failure.h"

#define SLOTS 4

struct ring {
	__u64 head;
	struct rqspin_event slots[SLOTS];
};

static struct locknames *names;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	names = locknames_open();
	return names ? 0 : -1;
}

static void event_show(const struct failure *f)
{
	struct lock_view view = { .names = names };
	char *text = failure_text_body(f, &view), *json = failure_json_body(f, &view, true);
	json_t *object = json ? failure_json_object(json, f->ev.ts_ns, f->ev.wait_ns) : NULL;

	MUST(object);
	json_decref(object);
	free(text);
	free(json);
}

static void event_take(const void *slot, void *ctx)
{
	struct failure f = { .ev = *(const struct rqspin_event *)slot, .source = &source_ring };
	unsigned int *nr = ctx;

	++*nr;
	if (!event_valid(&f.ev, now_ns()))
		return;
	f.ev.comm[sizeof(f.ev.comm) - 1] = 0;
	f.ev.prog[sizeof(f.ev.prog) - 1] = 0;
	f.ev.file[sizeof(f.ev.file) - 1] = 0;
	memcpy(f.file, f.ev.file, sizeof(f.ev.file));
	event_show(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_reader reader = { 0 };
	struct rqspin_event copy;
	unsigned int nr = 0;
	struct ring ring = { 0 };
	struct ring_view view = { &ring.head, NULL, ring.slots, sizeof(copy), SLOTS };

	memcpy(&ring, data, size < sizeof(ring) ? size : sizeof(ring));
	ring_read(&reader, &view, false, &copy, event_take, &nr);
	ring.head++;
	ring_read(&reader, &view, true, &copy, event_take, &nr);
	MUST(nr <= 2 * SLOTS);
	return 0;
}
