// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "load.h"
#include "probes.h"
#include "text.h"

const char *const feature_names[NR_FEATURES] = {
	[F_RESILIENT] = "resilient locks",
	[F_OOO] = "releases out of order",
	[F_PLAIN] = "plain locks",
	[F_IRQ] = "interrupts off",
	[F_FLOW] = "branches and calls",
	[F_VALUE] = "map look-ups",
	[F_ITER] = "numeric iterators",
	[F_LOOP] = "bpf_loop",
	[F_FOREACH] = "bpf_for_each_map_elem",
	[F_OBJECT] = "objects",
	[F_OBJECT_LOCK] = "locks in objects",
	[F_LIST] = "lists",
	[F_TREE] = "trees",
	[F_LESS] = "less() that adds",
	[F_SLEEP] = "sleeping calls",
	[F_RCU] = "RCU sections",
	[F_KPTR] = "RCU pointers",
	[F_MAP_ITER] = "map iterators",
	[F_NESTED] = "nested programs at function entry",
};

/* A feature is there if its program is accepted. */
static const char *const features[NR_FEATURES] = {
	[F_RESILIENT] = "tc lock g0 ( unlock g0 | )",
	[F_OOO] = "tc lock g0 ( unlock_ooo g0 | )",
	[F_PLAIN] = "tc spin_lock p0 ( spin_unlock p0 )",
	[F_IRQ] = "tc save f0 restore f0",
	[F_FLOW] = "tc if ( helper | )",
	[F_VALUE] = "tc lookup v0 ( | )",
	[F_ITER] = "tc iter t2 ( )",
	[F_LOOP] = "tc bpf_loop t2 ( )",
	[F_FOREACH] = "tc for_each v0 ( )",
	[F_OBJECT] = "tc new o0 ( drop o0 | )",
	[F_OBJECT_LOCK] = "tc new o0 ( lock o0 ( unlock o0 | ) drop o0 | )",
	[F_LIST] = "tc new o0 ( lock g0 ( push o0 g0 unlock g0 | drop o0 ) | )",
	[F_TREE] = "tc new o2 ( lock g0 ( add o2 g0 ( ) unlock g0 | drop o2 ) | )",
	[F_LESS] = "tc new o2 ( lock g0 ( add o2 g0 ( ) unlock g0 | drop o2 ) | )",
	[F_SLEEP] = "syscall sleep",
	[F_RCU] = "tc rcu_lock rcu_unlock",
	[F_KPTR] = "syscall rcu_lock kptr ( kptr_use | ) rcu_unlock",
	[F_MAP_ITER] = "iter_number value_write",
	[F_NESTED] = "fentry lock g0 ( unlock g0 | )",
};

/* Programs that some kernels accept. A hole is a program that should be refused. */
static const struct {
	const char *text, *what;
	bool hole;
	enum feature needs;
} probes[NR_PROBES] = {
	[P_RES_UNDER_PLAIN] = { "tc spin_lock p0 ( lock g0 ( unlock g0 | ) spin_unlock p0 )",
				"resilient locks under a bpf_spin_lock", true, F_PLAIN },
	[P_ITER_UNDER_PLAIN] = { "tc spin_lock p0 ( iter t2 ( ) spin_unlock p0 )",
				 "bpf_iter_num under a bpf_spin_lock", true, F_ITER },
	[P_LONG_IRQ_OFF] = { "tc save f0 iter t4194304 ( iter t4194304 ( ) ) restore f0",
			     "loops of 2^44 turns with interrupts off", true, F_ITER },
	[P_ITER_IRQ_OFF] = { "tc save f0 iter t2 ( ) restore f0",
			     "bpf_iter_num with interrupts off", false, F_ITER },
	[P_ITER_UNDER_RES] = { "tc lock g0 ( iter t2 ( ) unlock g0 | )",
			       "bpf_iter_num under a resilient lock", false, F_ITER },
	[P_ITER_UNDER_IRQ_LOCK] = { "tc lock_irqsave g0 f0 ( iter t2 ( ) unlock_irqrestore g0 f0 | )",
				    "bpf_iter_num under bpf_res_spin_lock_irqsave", false, F_ITER },
	[P_WRITE_RES] = { "iter_res value_write",
			  "map iterators that write beside a resilient lock", true, F_MAP_ITER },
	[P_WRITE_PLAIN] = { "iter_plain value_write",
			    "map iterators that write beside a bpf_spin_lock", true, F_MAP_ITER },
	[P_RCU_AFTER_RES] = { "syscall lock g0 ( kptr ( unlock g0 kptr_use | unlock g0 ) | )",
			      "RCU pointers of sleepable programs after a resilient lock", true,
			      F_KPTR },
	[P_RCU_AFTER_PLAIN] = { "syscall spin_lock p0 ( kptr ( spin_unlock p0 kptr_use | "
				"spin_unlock p0 ) )",
				"RCU pointers of sleepable programs after a bpf_spin_lock", true,
				F_KPTR },
	[P_RCU_AFTER_IRQ_OFF] = { "syscall save f0 kptr ( restore f0 kptr_use | restore f0 )",
				  "RCU pointers of sleepable programs after interrupts are on again",
				  true, F_KPTR },
	[P_RCU_BY_IRQ_OFF] = { "syscall save f0 kptr ( kptr_use | ) restore f0",
			       "RCU pointers of sleepable programs with interrupts off", false,
			       F_KPTR },
	[P_RCU_NESTED] = { "tc rcu_lock rcu_lock rcu_unlock rcu_unlock", "nested RCU sections",
			   false, F_RCU },
	[P_RCU_OUTLIVES_SECTION] = { "iter_number kptr ( rcu_lock rcu_unlock kptr_use | )",
				     "RCU pointers of programs that cannot sleep after an RCU "
				     "section",
				     false, F_KPTR },
	[P_RCU_OUTLIVES_SECTION_IRQ_OFF] = { "syscall save f0 kptr ( rcu_lock rcu_unlock kptr_use "
					     "| ) restore f0",
					     "RCU pointers of sleepable programs after an RCU section with "
					     "interrupts off",
					     false, F_KPTR },
	[P_LESS_ADD_SAME] = { "tc new o2 ( lock g0 ( add o2 g0 ( less_add g0 ) unlock g0 | drop o2 )"
			      " | )",
			      "less() that adds to its own tree", true, F_LESS },
	[P_LESS_ADD_OTHER] = { "tc new o2 ( lock g0 ( lock g1 ( add o2 g0 ( less_add g1 ) unlock g1 "
			       "unlock g0 | unlock g0 drop o2 ) | drop o2 ) | )",
			       "less() that adds to another tree", true, F_LESS },
	[P_LESS_LOCK] = { "tc new o2 ( lock g0 ( add o2 g0 ( lock g1 ( unlock g1 | ) ) unlock g0 | "
			  "drop o2 ) | )",
			  "locks taken in less()", true, F_TREE },
	[P_ONE_CALLBACK_VALUE] = { "tc lookup v0 ( for_each v0 ( for_each v1 ( lock v1 ( unlock v0 "
				   "| ) ) ) | )",
				   "one map value locked and another one unlocked in callbacks",
				   true, F_FOREACH },
	[P_LOOKUP_UNDER_RES] = { "tc lock g0 ( lookup v0 ( | ) unlock g0 | )",
				 "array look-ups under a resilient lock", false, F_VALUE },
	[P_NESTED_DROP] = { "fentry new o0 ( drop o0 | )",
			    "objects dropped by programs at function entry", false, F_NESTED },
};

/* 0: accepted. */
static int ask_text(struct loader *l, const char *text)
{
	static struct program p;
	struct loaded loaded;
	int err = parse_program(&p, text);

	if (err)
		exit(2);
	err = load_program(l, &p, true, &loaded);
	unload_program(&loaded);
	return err;
}

static void ask_feature(struct loader *l, struct answers *answers, enum feature f)
{
	int err = ask_text(l, features[f]);

	answers->feature[f] = !err;
	if (err == -ENOENT && l->emitter.lacks)
		printf("# left out: %s: the kernel has no %s\n", feature_names[f],
		       l->emitter.lacks);
	else if (err && f == F_NESTED)
		printf("# left out: %s: %s: it takes BPF trampolines\n", feature_names[f],
		       strerror(-err));
	else if (err)
		printf("# left out: %s: %s: %s\n", feature_names[f], strerror(-err), last_line(l));
}

static void ask_probe(struct loader *l, struct answers *answers, enum probe i)
{
	bool yes;

	if (!answers->feature[probes[i].needs])
		return;
	yes = !ask_text(l, probes[i].text);
	answers->probe[i] = yes;
	if (probes[i].hole)
		printf("# hole %s: %s\n", yes ? "OPEN" : "closed", probes[i].what);
	else
		printf("# this kernel %s: %s\n", yes ? "allows" : "refuses", probes[i].what);
}

void ask_kernel(struct kernel *k, struct answers *answers)
{
	struct loader *l = calloc(1, sizeof(*l));
	int i;

	if (!l)
		exit(2);
	l->kernel = k;
	for (i = 0; i < NR_FEATURES; i++)
		ask_feature(l, answers, (enum feature)i);
	for (i = 0; i < NR_PROBES; i++)
		ask_probe(l, answers, (enum probe)i);
	free(l);
}
