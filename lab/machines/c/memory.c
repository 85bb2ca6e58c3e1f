// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The lines of the memory that the locks' C shares: lock words, and the CPUs' own data. One
 * simulation at a time can have locks in C, because that data is the program's.
 */
#include <stdio.h>
#include <stdlib.h>

#include "c/glue.h"
#include "c/memory.h"
#include "run/job.h"

#define WORD	   8
#define LINE_WORDS 8

struct c_line {
	struct sim_line line;
	struct sim_var word[LINE_WORDS];
};

static struct {
	struct sim *sim;
	int locks;
	struct c_area area;
	size_t lines_of_cpu;
	struct c_line *line;
} memory;

/* At one address in each run: locks may hash it. */
static char lock_memory[JOB_LOCKS][C_LOCK_SIZE] __attribute__((aligned(4096)));
static struct sim_var lock_word[JOB_LOCKS][C_LOCK_SIZE / WORD];

static bool word_of_lock(struct c_word *w, uintptr_t at)
{
	uintptr_t offset = at - (uintptr_t)lock_memory;

	if (offset >= sizeof(lock_memory))
		return false;
	w->var = &lock_word[offset / C_LOCK_SIZE][offset % C_LOCK_SIZE / WORD];
	w->line = w->var->line;
	return true;
}

static void line_begin(struct c_line *l, uintptr_t first_word, int cpu)
{
	line_init(&l->line, memory.sim, cpu);
	for (int i = 0; i < LINE_WORDS; i++)
		l->word[i] = (struct sim_var){ .line = &l->line, .at = (uint64_t *)first_word + i };
}

static bool word_of_cpu(struct c_word *w, uintptr_t at)
{
	uintptr_t offset = at - (uintptr_t)memory.area.start;
	int cpu = offset / memory.area.stride;
	struct c_line *l;

	if (offset >= memory.area.stride * memory.sim->ncpus)
		return false;
	l = &memory.line[offset / (LINE_WORDS * WORD)];
	if (!l->line.sim)
		line_begin(l, at & -(uintptr_t)(LINE_WORDS * WORD), cpu);
	w->var = &l->word[at / WORD % LINE_WORDS];
	w->line = &l->line;
	w->own = cpu == sim_running->id;
	return true;
}

void c_word_find(struct c_word *w, const volatile void *at, int size)
{
	uintptr_t a = (uintptr_t)at;

	w->own = false;
	w->shift = a % WORD * 8;
	w->mask = (size < WORD ? (1ULL << size * 8) - 1 : UINT64_MAX) << w->shift;
	if (sim_running && (word_of_lock(w, a) || word_of_cpu(w, a)))
		return;
	w->line = NULL;
	w->var = &w->alone;
	w->alone = (struct sim_var){ .at = (uint64_t *)(a & -(uintptr_t)WORD) };
}

void *c_memory_of(const struct sim_lock *l)
{
	return lock_memory[l->id];
}

static void memory_begin(struct sim *s)
{
	c_glue_reset(s->ncpus, &memory.area);
	c_access_reset();
	c_context_reset();
	memory.sim = s;
	memory.lines_of_cpu = memory.area.stride / (LINE_WORDS * WORD);
	memory.line = calloc(s->ncpus * memory.lines_of_cpu, sizeof(*memory.line));
	if (!memory.line) {
		fputs("rqspin-sim: out of memory\n", stderr);
		exit(1);
	}
}

void c_memory_get(struct sim_lock *l)
{
	if (!memory.locks++)
		memory_begin(l->sim);
	if (memory.sim != l->sim || l->id >= JOB_LOCKS)
		abort();
	for (int i = 0; i < C_LOCK_SIZE / WORD; i++)
		lock_word[l->id][i] =
			(struct sim_var){ .line = &l->line,
					  .at = (uint64_t *)&lock_memory[l->id][i * WORD] };
}

void c_memory_put(struct sim_lock *l)
{
	(void)l;
	/* A lock that could not be made has no part in it. */
	if (memory.locks <= 0 || --memory.locks)
		return;
	for (size_t i = 0; i < memory.sim->ncpus * memory.lines_of_cpu; i++)
		line_free(&memory.line[i].line);
	free(memory.line);
	memory.line = NULL;
	memory.sim = NULL;
}
