// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/clock.h"
#include "names/ksyms.h"

#define LOOK_NS	 1000000000ULL	/* from one look for new modules to the next */
#define MISS_NS	 10000000ULL	/* the same after an unknown address in the range of modules */
#define KEEP_NS	 60000000000ULL /* how long symbols of an unloaded module are kept */
#define LISTS	 8		/* lists of modules' symbols: the latest and those before it */
#define LONGEST	 4096U		/* of a symbol that is the last of its module */
#define REACH	 0x80000000ULL	/* modules call the kernel by 32-bit offsets */
#define MOD_NAME 64

struct sym {
	__u64 addr;
	char *name;
	__u32 module; /* hash of the module's name; 0: the kernel's own symbol */
	bool data;
};

struct table {
	struct sym *syms;
	size_t nr;
};

struct ksyms {
	const char *modules_file, *symbols_file;
	struct table kernel;
	struct table modules[LISTS]; /* the latest first */
	__u64 left[LISTS];	     /* when each list was replaced by a newer one */
	__u64 listed;		     /* hash of the modules in the latest list */
	__u64 next_look, next_miss;
	bool looked;
};

static __u64 hash_text(__u64 h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

/* Hashes names and addresses of the modules. Their reference counts change all the time. */
static __u64 hash_modules(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[4096], name[MOD_NAME], addr[32];
	__u64 h = 0xcbf29ce484222325ULL;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name, addr) == 2)
			h = hash_text(hash_text(h, name), addr);
	if (f)
		fclose(f);
	return h;
}

static void table_forget(struct table *t)
{
	while (t->nr)
		free(t->syms[--t->nr].name);
	free(t->syms);
	memset(t, 0, sizeof(*t));
}

static struct sym *table_add(struct table *t)
{
	return grow_add((void **)&t->syms, &t->nr, sizeof(*t->syms));
}

static bool add_symbol(struct table *t, __u64 addr, char type, const char *name, const char *module)
{
	struct sym *s = table_add(t);

	if (!s)
		return false;
	s->addr = addr;
	s->module = module ? hash_text(1, module) | 1 : 0;
	s->data = !strchr("tTwW", type);
	s->name = strdup(name);
	if (!s->name)
		t->nr--;
	return s->name;
}

/*
 * "ffffffffc0001000 d rqs_locks	[rqspinlock_stress]"
 * There are more than 100 000 lines, and each command reads them all before it begins: with
 * sscanf() that takes three times as long.
 */
static bool add_line(struct ksyms *ks, char *line)
{
	char *at, *rest, type, *name, *module;
	__u64 addr = strtoull(line, &at, 16);

	if (!addr || at[0] != ' ' || !at[1])
		return true;
	type = at[1];
	name = strtok_r(at + 2, " \t\n", &rest);
	module = name ? strtok_r(NULL, " \t\n", &rest) : NULL;
	/* The names of BPF programs come from struct proginfo. */
	if (!name || !strchr("tTwWdDbBvVrR", type) || (module && !strcmp(module, "[bpf]")))
		return true;
	if (!module && ks->looked)
		return true;
	return add_symbol(module ? &ks->modules[0] : &ks->kernel, addr, type, name, module);
}

static int by_addr(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* The kernel lists its own symbols in order, and the symbols of one module after the other. */
static void table_sort(struct table *t)
{
	size_t i = 1;

	while (i < t->nr && t->syms[i - 1].addr <= t->syms[i].addr)
		i++;
	if (i < t->nr)
		qsort(t->syms, t->nr, sizeof(*t->syms), by_addr);
}

/* Reads all symbols. The kernel's own are kept from the first time. */
static void read_all(struct ksyms *ks)
{
	FILE *f = fopen(ks->symbols_file, "re");
	char line[1024], buf[16384];

	/* By default a file of /proc is read in pieces of 1024 bytes. */
	if (f)
		setvbuf(f, buf, _IOFBF, sizeof(buf));
	while (f && fgets(line, sizeof(line), f))
		if (!add_line(ks, line))
			break;
	if (f)
		fclose(f);
	table_sort(&ks->kernel);
	table_sort(&ks->modules[0]);
}

/*
 * A failure in a module may be named after the module is gone, and modules are unloaded one by one.
 * So old lists are kept.
 */
static void keep_list(struct ksyms *ks)
{
	table_forget(&ks->modules[LISTS - 1]);
	memmove(&ks->modules[1], &ks->modules[0], sizeof(ks->modules) - sizeof(ks->modules[0]));
	memmove(&ks->left[1], &ks->left[0], sizeof(ks->left) - sizeof(ks->left[0]));
	memset(&ks->modules[0], 0, sizeof(ks->modules[0]));
	ks->left[1] = now_ns();
}

static void ksyms_look(struct ksyms *ks, __u64 *next, __u64 pause)
{
	__u64 now = now_ns(), listed;

	if (now < *next)
		return;
	*next = now + pause;
	listed = hash_modules(ks->modules_file);
	if (ks->looked && listed == ks->listed)
		return;
	ks->listed = listed;
	keep_list(ks);
	read_all(ks);
	ks->looked = true;
}

struct ksyms *ksyms_of(const char *modules_file, const char *symbols_file)
{
	struct ksyms *ks = calloc(1, sizeof(*ks));

	if (!ks)
		return NULL;
	ks->modules_file = modules_file;
	ks->symbols_file = symbols_file;
	/* Reading takes long. Later the rings would fill meanwhile. */
	ksyms_look(ks, &ks->next_look, LOOK_NS);
	return ks;
}

struct ksyms *ksyms_open(void)
{
	return ksyms_of("/proc/modules", "/proc/kallsyms");
}

void ksyms_close(struct ksyms *ks)
{
	if (!ks)
		return;
	table_forget(&ks->kernel);
	for (size_t i = 0; i < LISTS; i++)
		table_forget(&ks->modules[i]);
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

static const struct sym *ksyms_table_find(const struct table *t, __u64 addr)
{
	const struct sym *s = at_or_before(t, addr), *next;

	if (!s)
		return NULL;
	next = s + 1 < t->syms + t->nr ? s + 1 : NULL;
	if ((!next || next->module != s->module) && addr - s->addr >= LONGEST)
		return NULL;
	return s;
}

static const struct sym *find_all(struct ksyms *ks, __u64 addr)
{
	const struct sym *s = ksyms_table_find(&ks->modules[0], addr);
	__u64 now = now_ns();

	for (size_t i = 1; i < LISTS && !s; i++)
		if (now - ks->left[i] < KEEP_NS)
			s = ksyms_table_find(&ks->modules[i], addr);
	return s ? s : ksyms_table_find(&ks->kernel, addr);
}

static bool where_modules_are(const struct ksyms *ks, __u64 addr)
{
	const struct table *t = &ks->kernel;
	const struct sym *s = at_or_before(t, addr), *next = s ? s + 1 : t->syms;

	return (s && addr - s->addr < REACH) ||
	       (t->nr && next < t->syms + t->nr && next->addr - addr < REACH);
}

const char *ksyms_find(struct ksyms *ks, __u64 addr, __u64 *off, bool *data)
{
	const struct sym *s;

	ksyms_look(ks, &ks->next_look, LOOK_NS);
	s = find_all(ks, addr);
	if (!s && where_modules_are(ks, addr)) {
		ksyms_look(ks, &ks->next_miss, MISS_NS);
		s = find_all(ks, addr);
	}
	if (!s)
		return NULL;
	*off = addr - s->addr;
	*data = s->data;
	return s->name;
}

void ksyms_text(const struct ksyms *ks, __u64 *start, __u64 *size)
{
	__u64 end = 0;

	*start = *size = 0;
	for (size_t i = 0; ks && i < ks->kernel.nr; i++) {
		if (!strcmp(ks->kernel.syms[i].name, "_stext"))
			*start = ks->kernel.syms[i].addr;
		if (!strcmp(ks->kernel.syms[i].name, "_etext"))
			end = ks->kernel.syms[i].addr;
	}
	if (*start && end > *start)
		*size = end - *start;
}

__u64 ksyms_addr(const struct ksyms *ks, const char *name)
{
	for (size_t i = 0; i < ks->kernel.nr; i++)
		if (!ks->kernel.syms[i].data && !strcmp(ks->kernel.syms[i].name, name))
			return ks->kernel.syms[i].addr;
	return 0;
}
