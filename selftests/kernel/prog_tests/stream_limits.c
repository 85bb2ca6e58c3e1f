// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Streams with stalled readers, in the loader's memory cgroup, and after programs were freed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/progstream.h"
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "selftests/kernel/progs/stream_limits.skel.h"

#define LINE_SIZE   25 /* of a line by write_lines */
#define STREAM_SIZE 100000
#define SLACK	    (4 * 4096) /* memory is charged in pages, some of them in advance */
#define NR_FILLERS  64
#define NR_WRITERS  3
#define TRACELOG_S  60
#define DEADLINE_S  20

static struct stream_limits_bpf *load_only(const char *name)
{
	struct stream_limits_bpf *skel = stream_limits_bpf__open();
	int err;

	if (!CHECK(skel, "open: %s", strerror(errno)))
		return NULL;
	bpf_program__set_autoload(bpf_object__find_program_by_name(skel->obj, name), true);
	err = stream_limits_bpf__load(skel);
	if (CHECK(!err, "%s: load: %s", name, strerror(-err)))
		return skel;
	stream_limits_bpf__destroy(skel);
	return NULL;
}

static bool file_has(const char *path, const char *word)
{
	char text[4096];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	if (f)
		fclose(f);
	text[n] = '\0';
	return strstr(text, word);
}

/* Later kernels have streams as well, but lack the counters and the tested properties. */
static struct stream_limits_bpf *load_counted(const char *name)
{
	struct stream_limits_bpf *skel;
	char path[64];

	if (!kernel_has_kfunc("bpf_stream_vprintk_impl") &&
	    !kernel_has_kfunc("bpf_stream_vprintk")) {
		test_skip("this kernel has no bpf_stream_vprintk()");
		return NULL;
	}
	skel = load_only(name);
	if (!skel)
		return NULL;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d",
		 bpf_program__fd(bpf_object__find_program_by_name(skel->obj, name)));
	if (file_has(path, "stdout_dropped"))
		return skel;
	test_skip("these streams count no drops: they are not those of kernel-patches");
	stream_limits_bpf__destroy(skel);
	return NULL;
}

static void write_lines(struct stream_limits_bpf *skel, __u32 lines)
{
	__u64 before = skel->bss->written;
	int retval;

	skel->bss->lines = lines;
	CHECK(!prog_run(skel->progs.write_lines, &retval), "write_lines did not run");
	CHECK_EQ(skel->bss->written - before, lines, "lines written");
}

/* A reader whose page does not come */

struct reader {
	int prog_fd;
	char *buf;
	int n;
};

static void *read_once(void *arg)
{
	struct reader *r = arg;

	r->n = progstream_read(r->prog_fd, PROGSTREAM_STDOUT, r->buf, 4096);
	return NULL;
}

/* A page whose faults are handled by this process; -1 if the kernel has no userfaultfd. */
static int stalled_page(char **page)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return -1;
	*page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)*page;
	reg.range.len = 4096;
	if (*page != MAP_FAILED && !ioctl(fd, UFFDIO_API, &api) &&
	    !ioctl(fd, UFFDIO_REGISTER, &reg))
		return fd;
	close(fd);
	return -1;
}

static void let_page_come(int uffd, char *page)
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)page, 4096 } };

	CHECK(!ioctl(uffd, UFFDIO_ZEROPAGE, &zero), "UFFDIO_ZEROPAGE: %s", strerror(errno));
}

static bool thread_joins(pthread_t thread, int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	return !pthread_timedjoin_np(thread, NULL, &until);
}

static void read_beside(int uffd, char *page, int prog_fd)
{
	static char text[4096];
	struct reader stalled = { prog_fd, page, 0 }, other = { prog_fd, text, 0 };
	struct pollfd fault = { .fd = uffd, .events = POLLIN };
	pthread_t first, second;
	bool got;

	pthread_create(&first, NULL, read_once, &stalled);
	CHECK_EQ(poll(&fault, 1, DEADLINE_S * 1000), 1, "the first reader waits for its page");
	pthread_create(&second, NULL, read_once, &other);
	got = thread_joins(second, DEADLINE_S);
	let_page_come(uffd, page);
	CHECK(got, "the second reader waits for the page of the first");
	if (!got)
		pthread_join(second, NULL);
	pthread_join(first, NULL);
	CHECK_EQ(stalled.n + other.n, 10 * LINE_SIZE, "bytes of both readers");
	CHECK_EQ(other.n, 10 * LINE_SIZE, "bytes of the second reader");
}

static void test_stalled_reader(void)
{
	struct stream_limits_bpf *skel = load_counted("write_lines");
	char *page;
	int uffd;

	if (!skel)
		return;
	uffd = stalled_page(&page);
	if (uffd >= 0) {
		write_lines(skel, 10);
		read_beside(uffd, page, bpf_program__fd(skel->progs.write_lines));
		close(uffd);
		munmap(page, 4096);
	} else {
		test_skip("this kernel has no userfaultfd: %s", strerror(errno));
	}
	stream_limits_bpf__destroy(skel);
}

/* The buffer ends before an unmapped page: the part that fits is read, the rest stays. */
static void test_short_buffer(void)
{
	struct stream_limits_bpf *skel = load_counted("write_lines");
	char *pages, text[64];
	int fd;

	if (!skel)
		return;
	pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(pages + 4096, 4096);
	fd = bpf_program__fd(skel->progs.write_lines);
	write_lines(skel, 2);
	CHECK_EQ(progstream_read(fd, PROGSTREAM_STDOUT, pages + 4096, 4096), -EFAULT,
		 "nothing mapped");
	CHECK_EQ(progstream_read(fd, PROGSTREAM_STDOUT, pages + 4096 - 35, 4096), 35,
		 "35 bytes mapped");
	CHECK(!memcmp(pages + 4096 - 35, "0123456789abcdef00000000\n0123456789", 35), "text");
	CHECK_EQ(progstream_read(fd, PROGSTREAM_STDOUT, text, sizeof(text)), 15, "the rest");
	CHECK(!memcmp(text, "abcdef00000001\n", 15), "text of the rest");
	munmap(pages, 4096);
	stream_limits_bpf__destroy(skel);
}

/* Memory */

static bool write_file(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text);
}

/* The kernel adds up a cgroup's counters every 2 s, or at once for a reader of its cpu.stat. */
static void flush_counters(const char *cgroup)
{
	char path[PATH_MAX], text[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpu.stat", cgroup);
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof(text), f), "%s: %s", path, strerror(errno));
	if (f)
		fclose(f);
}

/* Kernel memory of a cgroup in bytes, -1 if it is not counted. */
static long kernel_bytes(const char *cgroup)
{
	char path[PATH_MAX], line[128];
	long bytes = -1;
	FILE *f;

	flush_counters(cgroup);
	snprintf(path, sizeof(path), "%s/memory.stat", cgroup);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "kernel %ld", &bytes) == 1)
			break;
	}
	if (f)
		fclose(f);
	return bytes;
}

/* Wait until the cgroup is charged with @from to @to bytes; memory is freed with a delay. */
static long wait_charge(const char *cgroup, long from, long to, const char *what)
{
	double end = now_ms() + DEADLINE_S * 1000;
	long now;

	do {
		now = kernel_bytes(cgroup);
		if (now >= from && now <= to)
			return now;
		sched_yield();
	} while (now_ms() < end);
	CHECK(now >= from && now <= to, "%s: %ld bytes of kernel memory, not %ld to %ld", what, now,
	      from, to);
	return now;
}

static void fill_and_drain(const char *cgroup)
{
	struct stream_limits_bpf *skel = load_counted("write_lines");
	/* A line of 25 bytes takes at least 64 bytes of memory. */
	long lines = STREAM_SIZE / LINE_SIZE, size = lines * 64;
	static char text[STREAM_SIZE];
	long before, full;

	if (!skel)
		return;
	before = kernel_bytes(cgroup);
	write_lines(skel, lines);
	full = wait_charge(cgroup, before + size / 2, LONG_MAX, "full");
	CHECK_EQ(progstream_read(bpf_program__fd(skel->progs.write_lines), PROGSTREAM_STDOUT, text,
				 sizeof(text)),
		 STREAM_SIZE, "bytes read");
	wait_charge(cgroup, 0, full - size + SLACK, "read");
	write_lines(skel, lines);
	full = wait_charge(cgroup, before + size / 2, LONG_MAX, "full again");
	stream_limits_bpf__destroy(skel);
	wait_charge(cgroup, 0, full - size + SLACK, "program gone");
}

static void test_charged(void)
{
	char root[] = "/tmp/stream-cgroup-XXXXXX", cgroup[64];

	CHECK(mkdtemp(root), "mkdtemp: %s", strerror(errno));
	snprintf(cgroup, sizeof(cgroup), "%s/stream-limits", root);
	if (mount("none", root, "cgroup2", 0, NULL)) {
		test_skip("no cgroup2: %s", strerror(errno));
	} else if (!write_file(root, "cgroup.subtree_control", "+memory") || mkdir(cgroup, 0755)) {
		test_skip("no memory controller in cgroup2: %s", strerror(errno));
		umount(root);
	} else {
		CHECK(write_file(cgroup, "cgroup.procs", "0"), "into the cgroup");
		fill_and_drain(cgroup);
		CHECK(write_file(root, "cgroup.procs", "0"), "out of the cgroup");
		CHECK(!rmdir(cgroup), "rmdir: %s", strerror(errno));
		umount(root);
	}
	rmdir(root);
}

/* Names of programs that are gone */

static bool program_gone(__u32 id)
{
	double end = now_ms() + DEADLINE_S * 1000;
	int fd;

	do {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			return true;
		close(fd);
		sched_yield();
	} while (now_ms() < end);
	return false;
}

static __u32 program_id(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	CHECK(!bpf_prog_get_info_by_fd(bpf_program__fd(prog), &info, &len), "info: %s",
	      strerror(errno));
	return info.id;
}

/* Cause a failure on top of below(), then free below() and the trampoline between the two. */
static bool fail_on_below(struct stream_limits_bpf *top)
{
	struct stream_limits_bpf *low = load_only("below");
	struct bpf_link *link;
	int retval;
	__u32 id;

	if (!low)
		return false;
	link = bpf_program__attach(top->progs.fail_on_top);
	if (!CHECK(link, "attach: %s", strerror(errno))) {
		stream_limits_bpf__destroy(low);
		return false;
	}
	top->bss->report_err = 0;
	top->bss->target_tid = (__u32)syscall(SYS_gettid);
	CHECK(!prog_run(low->progs.below, &retval), "below did not run");
	CHECK_EQ(top->bss->report_err, -EDEADLK, "second acquisition");
	bpf_link__destroy(link);
	id = program_id(low->progs.below);
	stream_limits_bpf__destroy(low);
	return CHECK(program_gone(id), "program %u is still there", id);
}

static void check_names(struct stream_limits_bpf *top, const char *lock)
{
	static char text[1 << 16];
	int n = progstream_read(bpf_program__fd(top->progs.fail_on_top), PROGSTREAM_STDERR, text,
				sizeof(text) - 1);

	if (!CHECK(n > 0, "read %d", n))
		return;
	text[n] = '\0';
	test_note("%s", text);
	CHECK(strstr(text, "_fail_on_top+"), "the program itself has no name");
	CHECK(strstr(text, "_below+"), "the program below it has no name");
	CHECK(strstr(text, "\nbpf_trampoline_"), "the trampoline has no name");
	CHECK(!strstr(text, "_filler+"), "named after a program that came later");
	CHECK(strstr(text, lock), "no line \"%s\"", lock);
	CHECK(!strstr(text, "\n0x") && !strstr(text, "\n?"), "a place without a name");
}

/* Hide kernel addresses from all users, or restore the old setting. */
static bool hide_addresses(bool hide)
{
	static char old[16];
	FILE *f = fopen("/proc/sys/kernel/kptr_restrict", "r+");
	bool ok = f && (!hide || fgets(old, sizeof(old), f));

	if (!ok) {
		if (f)
			fclose(f);
		return false;
	}
	rewind(f);
	fputs(hide ? "2" : old, f);
	return !fclose(f);
}

/* Load programs that reuse the memory of the freed one; then read the report. */
static void check_report(struct stream_limits_bpf *top, bool hidden)
{
	struct stream_limits_bpf *fillers[NR_FILLERS];
	int i;

	if (!fail_on_below(top))
		return;
	for (i = 0; i < NR_FILLERS; i++)
		fillers[i] = load_only("filler");
	if (!hidden) {
		check_names(top, "Attempted lock   = 0xffff");
	} else if (CHECK(hide_addresses(true), "kptr_restrict: %s", strerror(errno))) {
		check_names(top, "Attempted lock   = 0x0000000000000000");
		hide_addresses(false);
	}
	for (i = 0; i < NR_FILLERS; i++)
		stream_limits_bpf__destroy(fillers[i]);
}

static void test_names(void)
{
	struct stream_limits_bpf *top;

	if (!kernel_has_fentry()) {
		test_skip("this kernel does not let programs attach to a function's entry");
		return;
	}
	top = load_counted("fail_on_top");
	if (!top)
		return;
	check_report(top, false);
	check_report(top, true);
	stream_limits_bpf__destroy(top);
}

/* bpftool */

struct writers {
	struct stream_limits_bpf *skel;
	bool stop;
};

static void *keep_writing(void *arg)
{
	struct writers *w = arg;
	int retval;

	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED))
		prog_run(w->skel->progs.write_lines, &retval);
	return NULL;
}

/* Count the output of bpftool; returns the status of timeout(1). */
static int run_tracelog(const char *bpftool, __u32 id, long *bytes, long *lines)
{
	char command[PATH_MAX + 128];
	FILE *out;
	int c;

	snprintf(command, sizeof(command), "exec timeout -s KILL %d %s prog tracelog stdout id %u",
		 TRACELOG_S, bpftool, id);
	out = popen(command, "r");
	if (!CHECK(out, "popen: %s", strerror(errno)))
		return -1;
	for (*bytes = *lines = 0; (c = getc(out)) != EOF; ++*bytes)
		*lines += c == '\n';
	return pclose(out);
}

static void tracelog_while_written(struct stream_limits_bpf *skel, const char *bpftool)
{
	__u32 id = program_id(skel->progs.write_lines);
	struct writers w = { .skel = skel };
	pthread_t threads[NR_WRITERS];
	long bytes, lines;
	int i;

	write_lines(skel, 1000);
	CHECK_EQ(run_tracelog(bpftool, id, &bytes, &lines), 0, "bpftool, nobody writes");
	CHECK_EQ(lines, 1000, "lines");
	CHECK_EQ(bytes, 1000 * LINE_SIZE, "bytes");
	for (i = 0; i < NR_WRITERS; i++)
		pthread_create(&threads[i], NULL, keep_writing, &w);
	CHECK_EQ(run_tracelog(bpftool, id, &bytes, &lines), 0, "bpftool, while others write");
	__atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < NR_WRITERS; i++)
		pthread_join(threads[i], NULL);
	test_note("%ld lines while others wrote", lines);
	CHECK_EQ(bytes, lines * LINE_SIZE, "whole lines");
	/* If writers are fast enough, a reader that does not stop at a limit never ends. */
	CHECK(bytes <= STREAM_SIZE, "%ld bytes: more than were there when it began", bytes);
}

static void test_tracelog_ends(void)
{
	const char *bpftool = getenv("BPFTOOL_OF_TREE");
	struct stream_limits_bpf *skel;

	bpftool = bpftool ?: "build/kernel-tools/bpftool/bpftool";
	if (access(bpftool, X_OK)) {
		test_skip("no %s: kernel-patches/tools.sh builds it", bpftool);
		return;
	}
	skel = load_counted("write_lines");
	if (!skel)
		return;
	tracelog_while_written(skel, bpftool);
	stream_limits_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "stalled_reader", .run = test_stalled_reader, .limit_s = 60 },
	{ .name = "short_buffer", .run = test_short_buffer },
	{ .name = "charged", .run = test_charged, .limit_s = 120 },
	{ .name = "names", .run = test_names, .limit_s = 60 },
	{ .name = "tracelog_ends", .run = test_tracelog_ends, .min_cpus = 2, .limit_s = 120 },
	{},
};

TEST_SUITE(stream_limits, cases);
