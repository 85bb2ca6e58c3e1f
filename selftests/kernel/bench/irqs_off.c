// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * irqs_off THREADS SECONDS: pinned threads want one lock all the time. One line of JSON: how long
 * each function of the lock keeps interrupts off. Needs CONFIG_TRACE_IRQFLAGS.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "irqs_off.h"
#include "pinned.h"
#include "selftests/kernel/bench/irqs_off.skel.h"

#define MAX_FUNCS 128

/* A function of the lock. */
struct func {
	char name[64];
	__u64 from, to;
	struct histogram sum;
};

static struct func funcs[MAX_FUNCS];
static unsigned int nr_funcs, seconds;

static bool of_lock(const char *name)
{
	static const char *const begin[] = {
		"res_",	       "__pfx_res_",	    "resilient_", "__pfx_resilient_",
		"rqspinlock_", "__pfx_rqspinlock_",
	};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

struct symbols {
	struct func *all;
	size_t nr, room;
};

static void add_symbol(struct symbols *s, __u64 addr, const char *name)
{
	if (s->nr == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->all = realloc(s->all, s->room * sizeof(*s->all));
		if (!s->all)
			errx(2, "out of memory");
	}
	s->all[s->nr] = (struct func){ .from = addr };
	snprintf(s->all[s->nr++].name, sizeof(s->all->name), "%s", name);
}

static void keep_of_lock(const struct symbols *s)
{
	for (size_t i = 0; i + 1 < s->nr; i++) {
		if (!of_lock(s->all[i].name))
			continue;
		if (nr_funcs == MAX_FUNCS)
			errx(2, "more than %d functions of the lock", MAX_FUNCS);
		funcs[nr_funcs] = s->all[i];
		funcs[nr_funcs++].to = s->all[i + 1].from;
	}
}

/* Reads all text symbols: only the sorted list shows which are near the lock's functions. */
static void read_functions(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	struct symbols s = { 0 };
	char line[512], name[64], type;
	unsigned long long addr;

	if (!f)
		err(2, "/proc/kallsyms");
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %63s", &addr, &type, name) == 3 &&
		    (type == 't' || type == 'T') && !strchr(line, '['))
			add_symbol(&s, addr, name);
	fclose(f);
	qsort(s.all, s.nr, sizeof(*s.all), by_address);
	keep_of_lock(&s);
	free(s.all);
	if (!nr_funcs || !funcs[0].from)
		errx(2, "no function of a resilient lock in /proc/kallsyms");
}

/* Adjacent functions form one range. */
static void set_ranges(struct irqs_off_range *ranges)
{
	int n = -1;

	for (unsigned int i = 0; i < nr_funcs; i++) {
		if (n < 0 || ranges[n].to != funcs[i].from) {
			if (++n == IRQS_OFF_RANGES)
				errx(2, "more than %d ranges of code", IRQS_OFF_RANGES);
			ranges[n].from = funcs[i].from;
		}
		ranges[n].to = funcs[i].to;
	}
}

static struct irqs_off_bpf *irqs_off_load(void)
{
	struct irqs_off_bpf *skel = irqs_off_bpf__open();
	int ret;

	if (!skel)
		err(2, "cannot open irqs_off.bpf.o");
	read_functions();
	set_ranges((struct irqs_off_range *)skel->rodata->ranges);
	if (irqs_off_bpf__load(skel))
		err(2, "cannot load irqs_off.bpf.o");
	ret = irqs_off_bpf__attach(skel);
	if (ret == -ENOENT || ret == -EINVAL)
		errx(2,
		     "no tracepoint irq_disable: needs CONFIG_TRACE_IRQFLAGS, as CONFIG=irqsoff has");
	if (ret)
		errx(2, "cannot attach: %s", strerror(-ret));
	return skel;
}

static void add_up(const struct irqs_off_bpf *skel)
{
	for (int cpu = 0; cpu < IRQS_OFF_CPUS; cpu++)
		for (int i = 0; i < IRQS_OFF_SITES; i++)
			for (unsigned int f = 0; f < nr_funcs; f++)
				if (skel->bss->sites[cpu][i].ip - funcs[f].from <
				    funcs[f].to - funcs[f].from)
					histogram_merge(
						&funcs[f].sum,
						(const void *)&skel->bss->sites[cpu][i].times);
}

/* The number of times between each two powers of two of ns. */
static void print_buckets(const struct histogram *h)
{
	const char *comma = "";

	printf("[");
	for (int b = 0; b < HISTOGRAM_BUCKETS; b += HISTOGRAM_STEPS) {
		unsigned long long below = histogram_value(b + HISTOGRAM_STEPS - 1) + 1, count = 0;

		for (int i = b; i < b + HISTOGRAM_STEPS; i++)
			count += h->bucket[i];
		/* The last bucket also contains all longer times. */
		if (b + HISTOGRAM_STEPS == HISTOGRAM_BUCKETS && h->longest >= below)
			below = h->longest + 1;
		if (count) {
			printf("%s[%llu, %llu]", comma, below, count);
			comma = ", ";
		}
	}
	printf("]");
}

static void irqs_off_print(const struct irqs_off_bpf *skel, unsigned int threads)
{
	const char *comma = "";

	printf("{\"threads\": %u, \"acquired\": %llu, \"unrecorded\": %llu, \"functions\": [",
	       threads, (unsigned long long)skel->bss->count,
	       (unsigned long long)skel->bss->unrecorded);
	for (unsigned int f = 0; f < nr_funcs; f++) {
		if (!funcs[f].sum.count)
			continue;
		printf("%s{\"function\": \"%s\", ", comma, funcs[f].name);
		histogram_print(&funcs[f].sum);
		printf(", \"histogram\": ");
		print_buckets(&funcs[f].sum);
		printf("}");
		comma = ", ";
	}
	printf("]}\n");
}

static void irqs_off_work(struct pinned *self)
{
	int fd = bpf_program__fd(((struct irqs_off_bpf *)self->arg)->progs.contend);
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end)
		test_run(fd, 1);
}

int main(int argc, char **argv)
{
	struct irqs_off_bpf *skel;
	unsigned int threads;

	if (argc != 3)
		errx(2, "usage: irqs_off THREADS SECONDS");
	threads = count_arg(argv[1]);
	if (threads > IRQS_OFF_CPUS)
		errx(2, "%u threads", threads);
	seconds = count_arg(argv[2]);
	skel = irqs_off_load();
	run_pinned(threads, irqs_off_work, skel);
	irqs_off_bpf__detach(skel);
	add_up(skel);
	irqs_off_print(skel, threads);
	irqs_off_bpf__destroy(skel);
	return 0;
}
