// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The course of the last execution, and how it is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mc.h"
#include "words.h"

#define MAX_NOTES 65536

struct note {
	struct mc_at at;
	uint32_t a, b;
	uint8_t what, cpu, level;
};

static struct note notes[MAX_NOTES];

/* A restored state has the number of its notes: later notes are overwritten. */
void mc_note(enum mc_note what, const struct mc_at *at, uint32_t a, uint32_t b)
{
	struct note *n;

	if (mc.notes >= MAX_NOTES)
		return;
	n = &notes[mc.notes++];
	n->what = what;
	n->cpu = mc.cur;
	n->level = mc_this()->level;
	n->a = a;
	n->b = b;
	if (at)
		n->at = *at;
}

static const char *program_path(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return path;
}

/* "function file:line" of every access, by one run of addr2line. */
static char **notes_locate(uint32_t from)
{
	char **where = calloc(MAX_NOTES, sizeof(*where));
	char name[] = "/tmp/mc-pcs.XXXXXX", cmd[4300], line[512];
	FILE *f = fdopen(mkstemp(name), "w");
	uint32_t i;

	for (i = from; f && i < mc.notes; i++)
		fprintf(f, "%p\n", (void *)((uintptr_t)notes[i].at.pc - 1));
	if (!f || fclose(f))
		return where;
	snprintf(cmd, sizeof(cmd), "addr2line -f -s -p -e '%s' <%s 2>/dev/null", program_path(),
		 name);
	f = popen(cmd, "r");
	for (i = from; f && i < mc.notes && fgets(line, sizeof(line), f); i++) {
		char *at = strstr(line, " at ");

		line[strcspn(line, "\n")] = '\0';
		if (at)
			memmove(at, at + 3, strlen(at + 3) + 1);
		where[i] = strdup(line);
	}
	if (f)
		pclose(f);
	unlink(name);
	return where;
}

static void print_note(const struct note *n, const char *where)
{
	static const char *const ops[] = { "read", "write", "rmw", "step", "clock" };
	char buf[128];

	printf("  cpu%u%.*s ", n->cpu, n->level, "++++++++");
	switch (n->what) {
	case MC_NOTE_ACCESS:
		printf("  %-5s %-22s %s\n", ops[n->at.op],
		       mc_describe(n->at.addr, buf, sizeof(buf)), where ? where : "");
		break;
	case MC_NOTE_WORD:
		printf("          %c = %s\n", 'A' + n->a, mc_describe_word(n->b, buf, sizeof(buf)));
		break;
	case MC_NOTE_LOCK:
		printf("ACQUIRE %c\n", 'A' + n->a);
		break;
	case MC_NOTE_RET:
		printf("RETURN  %c %s\n", 'A' + n->a, n->b ? mc_kind_name(n->b) : "acquired");
		break;
	case MC_NOTE_UNLOCK:
		printf("RELEASE %c\n", 'A' + n->a);
		break;
	case MC_NOTE_ENTER:
		printf("%s begins\n", n->a ? "NMI" : "IRQ");
		break;
	case MC_NOTE_LEAVE:
		printf("interrupt ends\n");
		break;
	case MC_NOTE_TIME:
		printf("TIME    %u us\n", n->a);
		break;
	case MC_NOTE_STALL:
		printf("STALLS  %u ms\n", n->a);
		break;
	}
}

void mc_notes_print(void)
{
	char **where = notes_locate(0);
	uint32_t i;

	for (i = 0; i < mc.notes; i++)
		print_note(&notes[i], where[i]);
	free(where);
}

static FILE *words;
static uint32_t words_left;

bool mc_words_open(const char *file, uint32_t count)
{
	words = fopen(file, "a");
	words_left = count;
	return words;
}

/* The changes of the first lock's word: "cpu word,cpu word". */
void mc_words_write(void)
{
	const char *sep = "";
	uint32_t i;

	if (!words || !words_left)
		return;
	words_left--;
	for (i = 0; i < mc.notes; i++) {
		if (notes[i].what != MC_NOTE_WORD || notes[i].a)
			continue;
		fprintf(words, "%s%u %x", sep, notes[i].cpu, notes[i].b);
		sep = ",";
	}
	fputc('\n', words);
	fflush(words);
}

static uint8_t reached[1 << 20];
extern char __executable_start[];

void mc_reach(const void *pc)
{
	size_t offset = (const char *)pc - __executable_start;

	if (offset < sizeof(reached))
		reached[offset] = 1;
}

/* Append the addresses of the accesses that were made to @file. */
bool mc_reached_write(const char *file)
{
	FILE *f = fopen(file, "a");
	size_t i;

	if (!f)
		return false;
	for (i = 0; i < sizeof(reached); i++) {
		if (reached[i])
			fprintf(f, "%lx\n", (unsigned long)(uintptr_t)(__executable_start + i));
	}
	return !fclose(f);
}
