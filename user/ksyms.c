// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ksyms.h"

#define LOOK_NS	 1000000000ULL	/* from one look for new modules to the next */
#define KEEP_NS	 60000000000ULL /* how long variables of a module that is gone keep their names */
#define LONGEST	 4096U		/* of a variable whose end is not known by the next one */
#define MOD_NAME 64

struct sym {
	__u64 addr;
	char *name;
	__u32 module; /* hash of its name, 0: the kernel's own */
	bool data;
};

struct table {
	struct sym *syms;
	size_t nr, room;
};

struct ksyms {
	struct table now, before; /* the last list of modules that was another one */
	__u64 modules;		  /* hash of the list that belongs to the symbols */
	__u64 changed, next_look;
	bool fixed, looked;
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

static void forget(struct table *t)
{
	while (t->nr)
		free(t->syms[--t->nr].name);
	free(t->syms);
	memset(t, 0, sizeof(*t));
}

static struct sym *add(struct table *t)
{
	if (t->nr == t->room) {
		size_t room = t->room ? t->room * 2 : 65536;
		struct sym *syms = realloc(t->syms, room * sizeof(*syms));

		if (!syms)
			return NULL;
		t->syms = syms;
		t->room = room;
	}
	return &t->syms[t->nr++];
}

/* "ffffffffc0001000 d rqs_locks	[rqspinlock_stress]" */
static bool add_line(struct table *t, const char *line)
{
	char name[256], module[MOD_NAME] = "", type;
	unsigned long long addr;
	struct sym *s;

	if (sscanf(line, "%llx %c %255s %63s", &addr, &type, name, module) < 3 || !addr)
		return true;
	/* Programs have their own names for that: struct proginfo. */
	if (!strchr("tTwWdDbBvVrR", type) || !strcmp(module, "[bpf]"))
		return true;
	s = add(t);
	if (!s)
		return false;
	s->addr = addr;
	s->module = *module ? hash(1, module) | 1 : 0;
	s->data = !strchr("tTwW", type);
	s->name = strdup(name);
	if (!s->name)
		t->nr--;
	return s->name;
}

static int by_addr(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void sort(struct table *t)
{
	qsort(t->syms, t->nr, sizeof(*t->syms), by_addr);
}

static void read_all(struct table *t)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (!add_line(t, line))
			break;
	if (f)
		fclose(f);
	sort(t);
}

static void look(struct ksyms *ks)
{
	__u64 now = now_ns(), modules;

	if (ks->fixed || now < ks->next_look)
		return;
	ks->next_look = now + LOOK_NS;
	modules = hash_modules();
	if (ks->looked && modules == ks->modules)
		return;
	ks->looked = true;
	ks->modules = modules;
	ks->changed = now;
	forget(&ks->before);
	ks->before = ks->now;
	memset(&ks->now, 0, sizeof(ks->now));
	read_all(&ks->now);
}

struct ksyms *ksyms_open(void)
{
	struct ksyms *ks = calloc(1, sizeof(*ks));

	/* It takes long: later the rings would fill meanwhile. */
	if (ks)
		look(ks);
	return ks;
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
			add_line(&ks->now, line);
		free(line);
	}
	sort(&ks->now);
	return ks;
}

void ksyms_close(struct ksyms *ks)
{
	if (!ks)
		return;
	forget(&ks->now);
	forget(&ks->before);
	free(ks);
}

static const struct sym *at_or_before(const struct table *t, __u64 addr)
{
	size_t low = 0, high = t->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->syms[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &t->syms[low - 1] : NULL;
}

static const struct sym *find(const struct table *t, __u64 addr)
{
	const struct sym *s = at_or_before(t, addr), *next;

	if (!s)
		return NULL;
	next = s + 1 < t->syms + t->nr ? s + 1 : NULL;
	if ((!next || next->module != s->module) && addr - s->addr >= LONGEST)
		return NULL;
	return s;
}

const char *ksyms_find(struct ksyms *ks, __u64 addr, __u64 *off, bool *data)
{
	const struct sym *s;

	look(ks);
	s = find(&ks->now, addr);
	/* What failed in a module may be looked at when that is gone. */
	if (!s && now_ns() - ks->changed < KEEP_NS)
		s = find(&ks->before, addr);
	if (!s)
		return NULL;
	*off = addr - s->addr;
	*data = s->data;
	return s->name;
}
