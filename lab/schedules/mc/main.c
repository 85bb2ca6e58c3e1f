// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Command line and result of the deterministic scheduler. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mc.h"
#include "words.h"

enum {
	OPT_IRQ = 256,
	OPT_NMI,
	OPT_IRQS,
	OPT_NMIS,
	OPT_IRQ_WAITS,
	OPT_IRQ_CPU,
	OPT_TRAPS,
	OPT_JUMPS,
	OPT_TAG_CPUS,
	OPT_PAGE_CPUS,
	OPT_TAS,
	OPT_HYBRID,
	OPT_RESPIN,
	OPT_RANDOM,
	OPT_SEED,
	OPT_REPLAY,
	OPT_STATES,
	OPT_WORDS,
	OPT_NWORDS,
	OPT_REACHED,
	OPT_LOCK,
};

static double seconds = 20, random_seconds;
static uint64_t max_states = 1ULL << 26, seed;
static const char *replay, *words, *reached;
static uint32_t nwords = 40;
static bool quiet;

static const struct argp_option options[] = {
	{ "preempt", 'p', "N", 0, "switches away from a CPU that could go on (default 2)", 0 },
	{ "irq", OPT_IRQ, "SCRIPT", 0, "what an interrupt does (more than once: either)", 0 },
	{ "nmi", OPT_NMI, "SCRIPT", 0, "what an NMI does", 0 },
	{ "irqs", OPT_IRQS, "N", 0, "interrupts in an execution", 0 },
	{ "nmis", OPT_NMIS, "N", 0, "NMIs in an execution", 0 },
	{ "irq-waits", OPT_IRQ_WAITS, NULL, 0, "interrupts come only where a loop waits", 0 },
	{ "irq-cpu", OPT_IRQ_CPU, "N", 0, "interrupts and NMIs come on CPU N only", 0 },
	{ "traps", OPT_TRAPS, NULL, 0,
	  "... also where interrupts are off: a function that is traced", 0 },
	{ "jumps", OPT_JUMPS, "N", 0, "jumps of the clock where it is read", 0 },
	{ "respin", OPT_RESPIN, NULL, 0, "a waiting loop may turn without a reason", 0 },
	{ "tag-cpus", OPT_TAG_CPUS, "N", 0, "CPUs that have a tag of their own", 0 },
	{ "page-cpus", OPT_PAGE_CPUS, "N", 0, "CPUs whose tags have the same high bits", 0 },
	{ "tas", OPT_TAS, NULL, 0, "test-and-set instead of the queue", 0 },
	{ "hybrid", OPT_HYBRID, NULL, 0, "the queue for virtual machines", 0 },
	{ "time", 't', "SECONDS", 0, "give up the search after this time", 0 },
	{ "states", OPT_STATES, "N", 0, "give up the search after N states", 0 },
	{ "random", OPT_RANDOM, "SECONDS", 0, "draw executions instead of searching", 0 },
	{ "seed", OPT_SEED, "N", 0, "of --random (default: the time)", 0 },
	{ "replay", OPT_REPLAY, "PATH", 0, "one execution, as printed with a failure", 0 },
	{ "words", OPT_WORDS, "FILE", 0, "append the changes of lock A's word to FILE", 0 },
	{ "nwords", OPT_NWORDS, "N", 0, "... of the first N executions (default 40)", 0 },
	{ "reached", OPT_REACHED, "FILE", 0, "append the addresses of the accesses made to FILE",
	  0 },
	{ "lock", OPT_LOCK, "NAME", 0, "which lock, where there are many (lab/schedules/explore)",
	  0 },
	{ "quiet", 'q', NULL, 0, "no course of events with a failure", 0 },
	{ 0 },
};

static const char *script_of(char *arg, struct argp_state *state)
{
	if (!mc_check_script(arg))
		argp_error(state,
			   "script '%s': A-F acquires, a-f releases (each that is acquired), "
			   ". ~ = _ ! step and stop",
			   arg);
	return arg;
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 't':
		seconds = atof(arg);
		break;
	case 'q':
		quiet = true;
		break;
	case OPT_STATES:
		max_states = strtoull(arg, NULL, 0);
		break;
	case OPT_RANDOM:
		random_seconds = atof(arg);
		break;
	case OPT_SEED:
		seed = strtoull(arg, NULL, 0);
		break;
	case OPT_REPLAY:
		replay = arg;
		break;
	case OPT_WORDS:
		words = arg;
		break;
	case OPT_NWORDS:
		nwords = atoi(arg);
		break;
	case OPT_REACHED:
		reached = arg;
		break;
	case ARGP_KEY_END:
		if (!mc_cfg.ncpu)
			argp_error(state, "no script: give one for each CPU, as in mc AB.ba BA.ab");
		if (!(~mc_cfg.irq_off_cpus & ((1U << mc_cfg.ncpu) - 1)))
			argp_error(state, "--irq-cpu: there are %d CPUs only", mc_cfg.ncpu);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t mc_parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'p':
		mc_cfg.preemptions = atoi(arg);
		break;
	case OPT_IRQ:
		if (mc_cfg.nirq == MC_IRQS)
			argp_error(state, "more than %d scripts of interrupts", MC_IRQS);
		mc_cfg.irq[mc_cfg.nirq++] = script_of(arg, state);
		break;
	case OPT_NMI:
		mc_cfg.nmi = script_of(arg, state);
		break;
	case OPT_IRQS:
		mc_cfg.irqs = atoi(arg);
		break;
	case OPT_IRQ_WAITS:
		mc_cfg.irq_waits = true;
		break;
	case OPT_IRQ_CPU:
		if (atoi(arg) < 0 || atoi(arg) >= MC_CPUS)
			argp_error(state, "no CPU %s", arg);
		mc_cfg.irq_off_cpus = ~(1U << atoi(arg));
		break;
	case OPT_TRAPS:
		mc_cfg.irq_waits = true;
		mc_cfg.traps = true;
		break;
	case OPT_NMIS:
		mc_cfg.nmis = atoi(arg);
		break;
	case OPT_JUMPS:
		mc_cfg.jumps = atoi(arg);
		break;
	case OPT_RESPIN:
		mc_cfg.respin = true;
		break;
	case OPT_TAG_CPUS:
		mc_cfg.tag_cpus = atoi(arg);
		break;
	case OPT_LOCK:
		mc_cfg.lock = arg;
		break;
	case OPT_PAGE_CPUS:
		mc_cfg.page_cpus = atoi(arg);
		break;
	case OPT_HYBRID:
		mc_cfg.hybrid = true;
		break;
	case OPT_TAS:
		mc_cfg.tas = true;
		break;
	case ARGP_KEY_ARG:
		if (mc_cfg.ncpu == MC_CPUS)
			argp_error(state, "more than %d CPUs", MC_CPUS);
		mc_cfg.task[mc_cfg.ncpu++] = script_of(arg, state);
		break;
	default:
		return parse_run(key, arg, state);
	}
	return 0;
}

static void print_result(int ret, double wall)
{
	static const char *const outcome[] = { "FAILED", "ok", "EXHAUSTED" };
	int kind;

	printf("%s executions=%llu states=%llu steps=%llu deepest=%u acquired=%llu",
	       outcome[ret + 1], (unsigned long long)mc_stats.executions,
	       (unsigned long long)mc_stats.states, (unsigned long long)mc_stats.steps,
	       mc_stats.deepest, (unsigned long long)mc_stats.taken);
	for (kind = 1; kind <= 5; kind++) {
		if (mc_stats.kinds[kind])
			printf(" %s=%llu", mc_kind_name(kind),
			       (unsigned long long)mc_stats.kinds[kind]);
	}
	printf(" seconds=%.2f\n", wall);
}

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int mc_run(void)
{
	if (replay)
		return mc_replay(replay);
	if (!random_seconds)
		return mc_search(seconds, max_states);
	if (!seed)
		seed = time(NULL);
	printf("seed %llu\n", (unsigned long long)seed);
	return mc_random(random_seconds, seed);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = mc_parse,
		.args_doc = "SCRIPT...",
		.doc = "Run the lock's C under every schedule within the bounds.\v"
		       "A script is what one CPU does: A-F acquire a lock, a-f release it, . is a step, "
		       "~ a stop of 2 s, = one of 400 ms, _ of 100 ms, ! of 1 ms.\n"
		       "Status: 0 no failure, 1 a failure, 2 usage.",
	};
	double start = cpu_seconds();
	int ret;

	mc_cfg.preemptions = 2;
	mc_cfg.tag_cpus = 254;
	mc_cfg.page_cpus = 254;
	mc_cfg.nmi = "";
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	if (words && !mc_words_open(words, nwords)) {
		perror(words);
		return 2;
	}
	mc_lock_setup();
	ret = mc_run();
	if (ret < -1)
		return 2;
	if (reached && !mc_reached_write(reached)) {
		perror(reached);
		return 2;
	}
	if ((mc_failure || replay) && !quiet)
		mc_notes_print();
	if (mc_failure) {
		printf("failure: %s\npath: ", mc_failure);
		mc_print_path();
	}
	print_result(ret, cpu_seconds() - start);
	return mc_failure ? 1 : 0;
}
