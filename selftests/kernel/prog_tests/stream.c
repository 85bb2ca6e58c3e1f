// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report of a deadlock in the program's error stream. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include "kernel/progstream.h"
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/locks.h"
#include "selftests/kernel/progs/stream.skel.h"

/* Read the whole stream in small pieces; returns the length or a negative errno. */
static int stream_drain(const struct bpf_program *prog, char *text, size_t size)
{
	size_t used = 0;
	int n;

	do {
		n = progstream_read(bpf_program__fd(prog), PROGSTREAM_STDERR, text + used,
				    size - used > 65 ? 64 : size - used - 1);
		if (n < 0)
			return n;
		used += n;
	} while (n && used < size - 1);
	text[used] = '\0';
	return (int)used;
}

static struct stream_bpf *load_only(const char *name)
{
	struct stream_bpf *skel = stream_bpf__open();
	int err;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, name), true);
	err = stream_bpf__load(skel);
	if (CHECK(!err, "%s: load: %s", name, strerror(-err)))
		return skel;
	stream_bpf__destroy(skel);
	return NULL;
}

/* Streams count as available if the output of a program can be read back. */
static bool streams_work(void)
{
	struct stream_bpf *skel;
	char text[64] = "";
	int retval, n = 0;

	if (!kernel_has_kfunc("bpf_stream_vprintk_impl") &&
	    !kernel_has_kfunc("bpf_stream_vprintk")) {
		test_skip("this kernel has no bpf_stream_vprintk kfunc (6.17 or later)");
		return false;
	}
	skel = load_only("probe_stream");
	if (!skel)
		return false;
	CHECK(!prog_run(skel->progs.probe_stream, &retval), "probe did not run");
	n = stream_drain(skel->progs.probe_stream, text, sizeof(text));
	if (n <= 0)
		test_skip("streams hold nothing on this kernel: bpf_stream_vprintk returned "
			  "%d, reading %d (booted with deferred_init=lazy?)",
			  retval, n);
	else
		CHECK(!strcmp(text, "probe"), "wrote \"probe\", read \"%s\"", text);
	stream_bpf__destroy(skel);
	return n > 0;
}

static void check_report(const struct stream_bpf *skel, const char *text)
{
	char held[64];

	test_note("%s", text);
	CHECK(strstr(text, "AA or ABBA deadlock detected"), "no word of a deadlock");
	CHECK(strstr(text, "Total held locks = 1"), "not exactly one held lock");
	snprintf(held, sizeof(held), "Held lock[ 0] = 0x%016llx", skel->bss->lock_address);
	CHECK(strstr(text, held), "no line \"%s\"", held);
	snprintf(held, sizeof(held), "Attempted lock   = 0x%016llx", skel->bss->lock_address);
	CHECK(strstr(text, held), "no line \"%s\"", held);
	CHECK(strstr(text, "deadlock_aa"), "the program's function is not in the call trace");
}

static void test_deadlock(void)
{
	static char text[1 << 16];
	struct stream_bpf *skel;
	int retval, n;

	if (!streams_work())
		return;
	skel = load_only("deadlock_aa");
	if (!skel)
		return;
	CHECK(!prog_run(skel->progs.deadlock_aa, &retval), "did not run");
	CHECK_EQ(retval, -EDEADLK, "second acquisition");
	n = stream_drain(skel->progs.deadlock_aa, text, sizeof(text));
	if (CHECK(n > 0, "read %d", n))
		check_report(skel, text);
	CHECK_EQ(stream_drain(skel->progs.deadlock_aa, text, sizeof(text)), 0, "a second reading");
	check_locks_free(skel->obj);
	stream_bpf__destroy(skel);
}

static void test_silent_on_success(void)
{
	struct stream_bpf *skel;
	char text[256];
	int retval;

	if (!streams_work())
		return;
	skel = load_only("no_deadlock");
	if (!skel)
		return;
	CHECK(!prog_run(skel->progs.no_deadlock, &retval), "did not run");
	CHECK_EQ(retval, 0, "acquisition");
	CHECK_EQ(stream_drain(skel->progs.no_deadlock, text, sizeof(text)), 0,
		 "bytes in the stream");
	stream_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "deadlock", .run = test_deadlock },
	{ .name = "silent_on_success", .run = test_silent_on_success },
	{},
};

TEST_SUITE(stream, cases);
