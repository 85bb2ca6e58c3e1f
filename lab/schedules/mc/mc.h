/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Deterministic scheduler for the lock's C: what its parts share.
 *
 * A CPU is a coroutine that stops before every access to shared memory. Everything that may
 * change during an execution lies in struct mc_world, in the CPUs' stacks, or in the memory of
 * the lock (glue.c); so a state can be hashed, saved and restored.
 */
#ifndef MC_H
#define MC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MC_CPUS	  8
#define MC_LOCKS  6
#define MC_IRQS	  4
#define MC_LEVELS 7 /* a task and what may interrupt it */

#define MC_NS_PER_MS 1000000ULL
#define MC_ROUND_NS  1000ULL

/* How the scheduler treats a word. */
enum mc_class {
	MC_ALIEN,   /* not the lock's: no step */
	MC_PRIVATE, /* read and written by its CPU only: a step for interrupts */
	MC_SHARED,
};

enum mc_op {
	MC_READ,
	MC_WRITE,
	MC_RMW,
	MC_POINT, /* a step of the client */
	MC_CLOCK, /* the clock is read */
};

enum mc_note {
	MC_NOTE_ACCESS,
	MC_NOTE_WORD,
	MC_NOTE_LOCK,
	MC_NOTE_RET,
	MC_NOTE_UNLOCK,
	MC_NOTE_ENTER,
	MC_NOTE_LEAVE,
	MC_NOTE_TIME,
	MC_NOTE_STALL,
};

/* What a CPU does when it is resumed. */
enum mc_order {
	MC_GO,
	MC_NMI,
	MC_IRQ, /* the first script of interrupts; the others follow */
};

/* How far an attempt has come with reading the clock. */
enum mc_looks {
	MC_NEVER_LOOKED,
	MC_PAUSED_ONCE,
	MC_LOOKED_ONCE,
	MC_LOOKS_AGAIN,
};

/* A context: a task, or an interrupt on top of it. */
struct mc_ctx {
	int8_t attempt;	  /* the lock it acquires, or -1 */
	int8_t releasing; /* the lock it releases, or -1 */
	bool nmi;
	bool in_cycle;	/* during this attempt it was once part of a real cycle */
	bool joined;	/* it has joined the queue in this attempt */
	bool own;	/* this CPU owned the lock when the attempt began */
	uint8_t looks;	/* enum mc_looks */
	uint8_t kind;	/* enum res_kind of the failure that was reported */
	int8_t told;	/* failures reported */
	uint8_t holds;	/* bit mask of locks */
	uint64_t since; /* when the attempt began */
	uint32_t *uncounted;
};

struct mc_at {
	const volatile void *addr;
	void *pc;
	enum mc_op op;
	enum mc_class class;
};

struct mc_cpu {
	void *sp;
	struct mc_at at;
	struct mc_ctx ctx[MC_LEVELS];
	uint64_t stall;	  /* it does not run before this time */
	uint64_t stalled; /* total time of its stalls */
	uint64_t watch;	  /* filter of the words that it accessed since its last pause */
	uint8_t level;
	uint8_t order;
	bool done;
	bool irqs_off;
	bool relaxed; /* the loop asked for a pause */
	bool blocked; /* until a word that it accessed is written */
	bool woken;
};

struct mc_world {
	uint64_t now;
	uint32_t word[MC_LOCKS];
	int8_t owner_cpu[MC_LOCKS]; /* the CPU that set the locked byte */
	int8_t owner_level[MC_LOCKS];
	int8_t inside[MC_LOCKS];	 /* the CPU in the critical section */
	int8_t pending[MC_LOCKS];	 /* the context that set the pending bit */
	int8_t queue[MC_LOCKS][MC_CPUS]; /* contexts that swapped the tail since it was 0 */
	uint8_t queued[MC_LOCKS];
	uint32_t steps;
	uint32_t notes;
	uint32_t path;
	uint8_t cur;
	bool begun;
	uint8_t idle;
	uint8_t preempted;
	uint8_t irqs;
	uint8_t nmis;
	uint8_t jumps;
	bool late;		    /* time limits may be over: a CPU stalled or time jumped */
	bool very_late;		    /* claims may have been taken over */
	struct mc_cpu cpu[MC_CPUS]; /* last member: a state only has the CPUs that are used */
};

struct mc_config {
	const char *task[MC_CPUS];
	const char *irq[MC_IRQS];
	int nirq; /* scripts of interrupts */
	const char *nmi;
	const char *lock; /* name of the lock, where there are many (lab/schedules/explore) */
	int ncpu;
	int preemptions;
	int irqs;
	bool irq_waits;	       /* interrupts come only where a loop waits */
	bool traps;	       /* they come there even if interrupts are off */
	uint32_t irq_off_cpus; /* mask of the CPUs that take no interrupts */
	int nmis;
	int jumps;
	unsigned int tag_cpus;
	unsigned int page_cpus;
	bool tas;
	bool hybrid; /* the queue for virtual machines */
	bool respin;
	bool x86;
	bool no_timeout_oracle;
};

struct mc_stats {
	uint64_t executions;
	uint64_t states;
	uint64_t steps;
	uint64_t taken;
	uint64_t kinds[8];
	uint32_t deepest;
};

extern struct mc_world mc;
extern struct mc_config mc_cfg;
extern struct mc_stats mc_stats;
extern const char *mc_failure;
extern bool mc_running;

/* run.c: CPUs */
void mc_build(void);
void mc_resume(int cpu);
void mc_access(const volatile void *addr, enum mc_op op, void *pc);
void mc_wrote(const volatile void *addr);
void mc_point(void);
void mc_clock(void);
void mc_stall(uint64_t ns);
void mc_blame(const char *why);
void mc_fail(const char *why) __attribute__((noreturn)); /* from a CPU */
char *mc_stack_top(int cpu);

static inline struct mc_cpu *mc_this(void)
{
	return &mc.cpu[mc.cur];
}

static inline struct mc_ctx *mc_ctx(void)
{
	return &mc_this()->ctx[mc_this()->level];
}

/* client.c: what the CPUs do */
void mc_run_script(const char *script);
bool mc_check_script(const char *script);

/* glue.c: the lock */
void mc_lock_setup(void);
void mc_lock_reset(void);
int mc_lock_acquire(int lock);
void mc_lock_release(int lock);
uint32_t mc_lock_word(int lock);
/* Does the word name @cpu as its owner, as far as a word can? */
bool mc_names_owner(uint32_t word, int cpu);
enum mc_class mc_classify(const volatile void *addr, uint32_t *key);
const char *mc_describe(const volatile void *addr, char *buf, size_t size);
const char *mc_describe_word(uint32_t word, char *buf, size_t size);
const char *mc_kind_name(int kind);
const char *mc_residue(void);
void mc_paused(int cpu); /* in a loop */

/* Part @no, from 0, of the lock memory that matters now; false if there is none. */
bool mc_lock_part(unsigned int no, void **start, size_t *size);

/* oracle.c: independent of the lock's own data */
void mc_oracle_reset(void);
void mc_observe(void);
void mc_attempt(int lock);
void mc_attempt_over(int lock, int ret);
void mc_reported(int kind, int ret);
void mc_waits_changed(void);
void mc_quiescent(void);
void mc_no_progress(void);

/* state.c: hash, save, restore */
uint64_t mc_hash(void);
size_t mc_save(char *to);
void mc_restore(const char *from);
size_t mc_save_bound(void);

/* note.c: the course of events, for the reader of a failure */
void mc_note(enum mc_note what, const struct mc_at *at, uint32_t a, uint32_t b);
void mc_notes_print(void);
void mc_words_write(void);
void mc_reach(const void *pc);

/* search.c */
struct mc_option {
	uint8_t cpu;
	uint8_t order;
	uint8_t jump;
	bool preempts;
	bool waits; /* all CPUs wait, and time passes */
};

/* Is there a choice here other than to go on? */
bool mc_has_choice(const struct mc_at *at);
int mc_options(struct mc_option *opt);
bool mc_idle(void);
void mc_take(const struct mc_option *opt);
int mc_search(double seconds, uint64_t max_states);
int mc_random(double seconds, uint64_t seed);
int mc_replay(const char *path);
void mc_print_path(void);

#endif /* MC_H */
