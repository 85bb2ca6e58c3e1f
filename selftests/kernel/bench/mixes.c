// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mixes SECONDS THREADS...: an object of JSON with a row for each program, mix and number of
 * threads: operations per second of all threads, nanoseconds of one, and updates or acquisitions
 * that failed. A kernel without resilient locks has no rows of them.
 */
#include <err.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "mixes.h"
#include "pinned.h"
#include "selftests/kernel/bench/mixes.skel.h"

#define BATCHES 4 /* of a run, between two looks at the clock */

static const struct mix {
	const char *name;
	unsigned int updates, deletes;
} mixes[] = {
	{ "98 % lookups", 1, 1 },
	{ "50 % lookups", 25, 25 },
	{ "no lookups", 50, 50 },
};

struct job {
	int fd;
	double seconds;
	double began;
	atomic_ullong batches;
};

/* Each thread ends after the first run that ends too late. */
static void mixes_work(struct pinned *self)
{
	struct job *job = self->arg;
	double end;

	test_run(job->fd, 1);
	pthread_barrier_wait(self->barrier);
	if (!self->id)
		job->began = seconds_now();
	pthread_barrier_wait(self->barrier);
	end = job->began + job->seconds;
	do {
		test_run(job->fd, BATCHES);
		atomic_fetch_add(&job->batches, BATCHES);
	} while (seconds_now() < end);
}

static double mixes_rate(const struct bpf_program *prog, unsigned int threads, double seconds)
{
	struct job job = { .fd = bpf_program__fd(prog), .seconds = seconds };

	run_pinned((int)threads, mixes_work, &job);
	return (double)job.batches * MIXES_BATCH / (seconds_now() - job.began);
}

static void add_row(json_t *rows, struct mixes_bpf *skel, const struct bpf_program *prog,
		    const char *mix, unsigned int threads, double seconds)
{
	double per_second;

	skel->bss->failed = 0;
	per_second = mixes_rate(prog, threads, seconds);
	json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f, s:f, s:I}", "what",
					      strchr(bpf_program__name(prog), '_') + 1, "mix", mix,
					      "threads", (int)threads, "per_second", per_second,
					      "ns_each", 1e9 * threads / per_second, "failed",
					      (json_int_t)skel->bss->failed));
}

static void mixes_measure(json_t *rows, struct mixes_bpf *skel, unsigned int threads,
			  double seconds)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, skel->obj)
	{
		if (!bpf_program__autoload(prog))
			continue;
		if (strncmp(bpf_program__name(prog), "mix_", 4)) {
			add_row(rows, skel, prog, "-", threads, seconds);
			continue;
		}
		for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++) {
			skel->bss->updates = mixes[i].updates;
			skel->bss->deletes = mixes[i].deletes;
			add_row(rows, skel, prog, mixes[i].name, threads, seconds);
		}
	}
}

static bool kernel_has_res_locks(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, "bpf_res_spin_lock", BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

static struct mixes_bpf *mixes_load(void)
{
	struct mixes_bpf *skel = mixes_bpf__open();

	if (!skel)
		err(2, "cannot open mixes.bpf.o");
	if (!kernel_has_res_locks()) {
		warnx("this kernel has no bpf_res_spin_lock(): no rows of it");
		bpf_program__set_autoload(skel->progs.lock_bpf_res_spin_lock, false);
	}
	if (mixes_bpf__load(skel))
		err(2, "cannot load mixes.bpf.o");
	return skel;
}

int main(int argc, char **argv)
{
	json_t *rows = json_array(), *out;
	struct mixes_bpf *skel;
	double seconds;
	char *end;
	int ret;

	if (argc < 3)
		errx(2, "usage: mixes SECONDS THREADS...");
	seconds = strtod(argv[1], &end);
	if (*end || !(seconds > 0 && seconds < 3600))
		errx(2, "'%s' is no time in seconds", argv[1]);
	skel = mixes_load();
	for (int i = 2; i < argc; i++)
		mixes_measure(rows, skel, count_arg(argv[i]), seconds);
	mixes_bpf__destroy(skel);
	out = json_pack("{s:o}", "rows", rows);
	ret = out ? json_dumpf(out, stdout, JSON_COMPACT) : -1;
	printf("\n");
	json_decref(out);
	return ret || fflush(stdout) ? 1 : 0;
}
