// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does the verifier keep its rules? Loads random programs and compares its verdict with that of a
 * simulation; the accepted ones are run as well.
 *	rules [--count N] [--seconds S] [--seed S] [--show]
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "rules.h"

#define LOG_SIZE (1 << 20)

static struct options {
	unsigned long count, seed, seconds;
	bool show;
} opts = { .count = 10000, .seed = 1 };

static struct program program;
static struct bpf_insn insns[MAX_INSNS];
static char log_buf[LOG_SIZE];

static error_t parse(int key, char *arg, struct argp_state *state)
{
	char *end = arg;

	switch (key) {
	case 'n':
		opts.count = strtoul(arg, &end, 0);
		break;
	case 's':
		opts.seed = strtoul(arg, &end, 0);
		break;
	case 't':
		opts.seconds = strtoul(arg, &end, 0);
		break;
	case 'w':
		opts.show = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (*end || end == arg)
		argp_error(state, "'%s' is not a number", arg);
	return 0;
}

static const struct argp_option options[] = {
	{ "count", 'n', "N", 0, "how many programs (10000)", 0 },
	{ "seed", 's', "S", 0, "of the first one (1)", 0 },
	{ "seconds", 't', "S", 0, "stop after S seconds, but not before 100 programs", 0 },
	{ "show", 'w', NULL, 0, "print each program and both verdicts", 0 },
	{ 0 },
};
static const struct argp argp = { options, parse, NULL, "Compare the verifier with its rules.",
				  0,	   0,	  0 };

static void skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

/* The type of the maps' values: a lock and a number. */
static int value_btf(int *value_id)
{
	struct btf *btf = btf__new_empty();
	int fd, u32 = btf__add_int(btf, "unsigned int", 4, 0);
	int lock = btf__add_struct(btf, "bpf_res_spin_lock", 4);
	LIBBPF_OPTS(bpf_btf_load_opts, load);
	const void *raw;
	__u32 size;

	btf__add_field(btf, "val", u32, 0, 0);
	*value_id = btf__add_struct(btf, "value", 8);
	btf__add_field(btf, "lock", lock, 0, 0);
	btf__add_field(btf, "number", u32, 32, 0);
	raw = btf__raw_data(btf, &size);
	fd = bpf_btf_load(raw, size, &load);
	btf__free(btf);
	return fd;
}

static int lock_map(int btf_fd, int value_id)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .btf_fd = (__u32)btf_fd, .btf_key_type_id = 1,
		    .btf_value_type_id = (__u32)value_id);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "rules", 4, 8, 1, &o);
}

static void find_kernel(struct kernel *k)
{
	struct btf *vmlinux = btf__load_vmlinux_btf();
	struct {
		const char *name;
		int *id;
	} kfuncs[] = {
		{ "bpf_res_spin_lock", &k->lock },
		{ "bpf_res_spin_unlock", &k->unlock },
		{ "bpf_res_spin_lock_irqsave", &k->lock_irq },
		{ "bpf_res_spin_unlock_irqrestore", &k->unlock_irq },
		{ "bpf_local_irq_save", &k->save },
		{ "bpf_local_irq_restore", &k->restore },
		{ "bpf_iter_num_new", &k->iter_new },
		{ "bpf_iter_num_next", &k->iter_next },
		{ "bpf_iter_num_destroy", &k->iter_destroy },
	};
	size_t i;

	if (!vmlinux)
		skip_all("the kernel has no BTF");
	for (i = 0; i < sizeof(kfuncs) / sizeof(*kfuncs); i++) {
		*kfuncs[i].id = btf__find_by_name_kind(vmlinux, kfuncs[i].name, BTF_KIND_FUNC);
		if (*kfuncs[i].id >= 0)
			continue;
		if (!i)
			skip_all("this kernel lacks the locks: 6.15 or the patched 6.12 has them");
		fprintf(stderr, "rules: the kernel has the locks, but not %s\n", kfuncs[i].name);
		exit(1);
	}
	k->unlock_ooo = btf__find_by_name_kind(vmlinux, "bpf_res_spin_unlock_ooo", BTF_KIND_FUNC);
	btf__free(vmlinux);
}

static void make_maps(struct kernel *k)
{
	int i, value_id, btf_fd = value_btf(&value_id);

	for (i = 0; i < NR_LOCKS; i++) {
		k->lock_maps[i] = btf_fd < 0 ? btf_fd : lock_map(btf_fd, value_id);
		if (k->lock_maps[i] < 0) {
			fprintf(stderr, "rules: no map: %s (root?)\n", strerror(errno));
			exit(1);
		}
	}
}

static int load(int n, int log_level)
{
	LIBBPF_OPTS(bpf_prog_load_opts, o, .log_buf = log_level ? log_buf : NULL,
		    .log_size = log_level ? LOG_SIZE : 0, .log_level = (__u32)log_level);

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "rules", "GPL", insns, (size_t)n, &o);
}

/* Every condition both ways, more or less. Returns an errno. */
static int run(int fd)
{
	static const __u32 marks[] = { 0, ~0u, 0x55555555, 0x33333333 };
	static char packet[64];
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		struct __sk_buff skb = { .mark = marks[i] };
		LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = packet, .data_size_in = sizeof(packet),
			    .ctx_in = &skb, .ctx_size_in = sizeof(skb));

		if (bpf_prog_test_run_opts(fd, &o))
			return errno;
	}
	return 0;
}

/* Neither side has judged: no room, no memory, too complex. */
static bool undecided(int n, int err)
{
	int fd;

	/* Too many branches at once have the errno of a bug; the log tells them apart. */
	if (err != -EFAULT)
		return err == -E2BIG || err == -ENOMEM;
	fd = load(n, 1);
	if (fd >= 0)
		close(fd);
	return fd < 0 && strstr(log_buf, "too complex");
}

static void disagree(unsigned long seed, const char *rule, int n)
{
	int fd = load(n, 1);

	fprintf(stderr, "# seed %lu: the rules: %s; the verifier: %s\n", seed,
		rule ? rule : "accepted", fd < 0 ? strerror(-fd) : "accepted");
	print_program(&program, stderr);
	fprintf(stderr, "%s\n", log_buf);
	if (fd >= 0)
		close(fd);
}

struct tally {
	unsigned long accepted, refused, disagreed, failed, undecided;
};

static void one(const struct kernel *k, unsigned long seed, struct tally *t)
{
	const char *rule;
	int n, fd, err = 0;

	generate(&program, seed, k->unlock_ooo > 0);
	rule = simulate(&program);
	n = emit(&program, k, insns);
	fd = n && rule != no_verdict ? load(n, 0) : -E2BIG;
	if (fd < 0 && undecided(n, fd)) {
		t->undecided++;
		return;
	}
	if (opts.show) {
		printf("# seed %lu: %s\n", seed, rule ? rule : "accepted");
		print_program(&program, stdout);
	}
	if ((fd >= 0) == !!rule || (fd < 0 && fd != -EACCES && fd != -EINVAL)) {
		t->disagreed++;
		disagree(seed, rule, n);
	} else if (fd >= 0) {
		t->accepted++;
		err = run(fd);
	} else {
		t->refused++;
	}
	if (err) {
		t->failed++;
		fprintf(stderr, "# seed %lu: cannot be run: %s\n", seed, strerror(err));
	}
	if (fd >= 0)
		close(fd);
}

static int result(int number, bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", number, what);
	return ok ? 0 : 1;
}

/* An emulated machine loads a few programs a second, another one thousands. */
static bool time_is_up(unsigned long done)
{
	static time_t start;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!start)
		start = now.tv_sec;
	return opts.seconds && done >= 100 && now.tv_sec - start >= (time_t)opts.seconds;
}

int main(int argc, char **argv)
{
	struct tally t = { 0 };
	struct kernel k;
	unsigned long i;
	int failed;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	printf("TAP version 13\n");
	find_kernel(&k);
	make_maps(&k);
	if (k.unlock_ooo <= 0)
		printf("# no releases out of order: this kernel has no bpf_res_spin_unlock_ooo\n");
	for (i = 0; i < opts.count && !time_is_up(i); i++)
		one(&k, opts.seed + i, &t);
	printf("# %lu accepted, %lu refused, %lu disagreements, %lu undecided\n", t.accepted,
	       t.refused, t.disagreed, t.undecided);
	printf("1..4\n");
	failed = result(1, !t.disagreed, "verifier and rules agree");
	failed += result(2, t.accepted * 4 > i && t.refused * 4 > i,
			 "a quarter of the programs or more for each verdict");
	failed += result(3, !t.failed, "what is accepted can be run");
	failed += result(4, t.undecided * 100 <= i, "at most one in a hundred is undecided");
	return failed ? 1 : 0;
}
