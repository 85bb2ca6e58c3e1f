// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ksyms.h"

#define LOOK_NS	 1000000000ULL /* from one look for new modules to the next */
#define LONGEST	 (1U << 16)    /* of a variable whose end is not known by the next one */
#define MOD_NAME 64

struct sym {
	__u64 addr;
	char *name;
	__u32 module; /* hash of its name, 0: the kernel's own */
	bool data;
};

struct ksyms {
	struct sym *syms;
	size_t nr, room;
	__u64 modules; /* hash of the list that belongs to the symbols */
	__u64 next_look;
	bool fixed;
};

static __u64 hash(__u64 h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

/* Names and addresses of the modules; their users' numbers change all the time. */
static __u64 hash_modules(void)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[4096], name[MOD_NAME], addr[32];
	__u64 h = 0xcbf29ce484222325ULL;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name, addr) == 2)
			h = hash(hash(h, name), addr);
	if (f)
		fclose(f);
	return h;
}

static void forget(struct ksyms *ks)
{
	while (ks->nr)
		free(ks->syms[--ks->nr].name);
}

static struct sym *add(struct ksyms *ks)
{
	if (ks->nr == ks->room) {
		size_t room = ks->room ? ks->room * 2 : 65536;
		struct sym *syms = realloc(ks->syms, room * sizeof(*syms));

		if (!syms)
			return NULL;
		ks->syms = syms;
		ks->room = room;
	}
	return &ks->syms[ks->nr++];
}

/* "ffffffffc0001000 d rqs_locks	[rqspinlock_stress]" */
static bool add_line(struct ksyms *ks, const char *line)
{
	char name[256], module[MOD_NAME] = "", type;
	unsigned long long addr;
	struct sym *s;

	if (sscanf(line, "%llx %c %255s %63s", &addr, &type, name, module) < 3 || !addr)
		return true;
	/* Programs have their own names for that: struct proginfo. */
	if (!strchr("tTwWdDbBvVrR", type) || !strcmp(module, "[bpf]"))
		return true;
	s = add(ks);
	if (!s)
		return false;
	s->addr = addr;
	s->module = *module ? hash(1, module) | 1 : 0;
	s->data = !strchr("tTwW", type);
	s->name = strdup(name);
	return s->name;
}

static int by_addr(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void sort(struct ksyms *ks)
{
	qsort(ks->syms, ks->nr, sizeof(*ks->syms), by_addr);
}

static void read_all(struct ksyms *ks)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	forget(ks);
	while (f && fgets(line, sizeof(line), f))
		if (!add_line(ks, line))
			break;
	if (f)
		fclose(f);
	sort(ks);
}

static void look(struct ksyms *ks)
{
	__u64 now = now_ns(), modules;

	if (ks->fixed || now < ks->next_look)
		return;
	ks->next_look = now + LOOK_NS;
	modules = hash_modules();
	if (ks->nr && modules == ks->modules)
		return;
	ks->modules = modules;
	read_all(ks);
}

struct ksyms *ksyms_open(void)
{
	return calloc(1, sizeof(struct ksyms));
}

struct ksyms *ksyms_over(const char *text)
{
	struct ksyms *ks = calloc(1, sizeof(*ks));
	const char *end;

	if (!ks)
		return NULL;
	ks->fixed = true;
	for (; *text; text = end + !!*end) {
		char *line;

		end = strchrnul(text, '\n');
		line = strndup(text, end - text);
		if (line)
			add_line(ks, line);
		free(line);
	}
	sort(ks);
	return ks;
}

void ksyms_close(struct ksyms *ks)
{
	if (!ks)
		return;
	forget(ks);
	free(ks->syms);
	free(ks);
}

static const struct sym *before(const struct ksyms *ks, __u64 addr)
{
	size_t low = 0, high = ks->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ks->syms[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &ks->syms[low - 1] : NULL;
}

const char *ksyms_find(struct ksyms *ks, __u64 addr, __u64 *off, bool *data)
{
	const struct sym *s, *next;

	look(ks);
	s = before(ks, addr);
	if (!s)
		return NULL;
	next = s + 1 < ks->syms + ks->nr ? s + 1 : NULL;
	if ((!next || next->module != s->module) && addr - s->addr >= LONGEST)
		return NULL;
	*off = addr - s->addr;
	*data = s->data;
	return s->name;
}
