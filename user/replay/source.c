// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "replay/homes.h"
#include "replay/source.h"
#include "replay/text.h"
#include "output/page/names.h"

static void put_fact(FILE *out, const char *what, const char *text)
{
	fprintf(out, " * %-8s ", what);
	comment_put(out, text);
	putc('\n', out);
}

static void put_head(FILE *out, const struct scene *s, const char *from)
{
	const struct scene_party *failed = &s->parties[s->kind == SCENE_TIMEOUT];
	char text[PARTY_TEXT];

	fprintf(out,
		"// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n/*\n"
		" * Replay of a failed acquisition, kind %s. Made by rqspin replay.\n",
		s->kind_text);
	put_fact(out, "Event:", from);
	put_fact(out, "Time:", report_member(s->event, "time"));
	put_fact(out, "Failed:", party_text(failed, text));
	put_fact(out, "Errno:", report_member(s->event, "errno"));
	fputs(" * Build:   make\n"
	      " * Run:     rqspin run ./replay.bpf.o\n"
	      " * See:     rqspin trace -- rqspin run ./replay.bpf.o\n"
	      " */\n#include \"replay.bpf.h\"\n",
	      out);
}

static void put_stands_for(FILE *out, const struct scene_lock *lock)
{
	char text[LOCK_TEXT];

	comment_put(out, lock_text(lock, text));
	if (scene_internal(lock))
		fputs(": inside a map in the event, and a program's own here", out);
}

static void put_variable(FILE *out, const struct scene_lock *lock)
{
	fputs("\n/* Stands for ", out);
	put_stands_for(out, lock);
	fprintf(out, ". */\nstruct bpf_res_spin_lock %s __hidden SEC(\".data.%s\");\n", lock->map,
		lock->map);
}

static unsigned int map_elements(const struct scene *s, const struct scene_lock *first)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < s->nr_locks; i++) {
		const struct scene_lock *lock = &s->locks[i];

		if (strcmp(lock->map, first->map))
			continue;
		if (first->home == HOME_HASH)
			nr++;
		else if (lock->key >= nr)
			nr = lock->key + 1;
	}
	return nr;
}

static void put_elements(FILE *out, const struct scene *s, const struct scene_lock *first)
{
	fputs("\n/*\n", out);
	for (unsigned int i = 0; i < s->nr_locks; i++) {
		if (strcmp(s->locks[i].map, first->map))
			continue;
		fprintf(out, " * Element %u stands for ", s->locks[i].key);
		put_stands_for(out, &s->locks[i]);
		fputs(".\n", out);
	}
	fputs(" */\n", out);
}

static void put_map(FILE *out, const struct scene *s, const struct scene_lock *lock)
{
	bool hash = lock->home == HOME_HASH;

	put_elements(out, s, lock);
	fprintf(out, "struct %s_value {\n\tstruct bpf_res_spin_lock %s;\n};\n\n", lock->map,
		lock->field);
	fprintf(out,
		"struct {\n\t__uint(type, BPF_MAP_TYPE_%s);\n\t__uint(max_entries, %u);\n"
		"\t__type(key, __u32);\n\t__type(value, struct %s_value);\n} %s SEC(\".maps\");\n\n",
		hash ? "HASH" : "ARRAY", map_elements(s, lock), lock->map, lock->map);
	fprintf(out, "static __always_inline struct %s_value *%s_at(__u32 key)\n{\n", lock->map,
		lock->map);
	if (hash)
		fprintf(out,
			"\tstruct %s_value fresh = {}, *found = bpf_map_lookup_elem(&%s, &key);\n\n"
			"\tif (found)\n\t\treturn found;\n"
			"\tbpf_map_update_elem(&%s, &key, &fresh, BPF_NOEXIST);\n",
			lock->map, lock->map, lock->map);
	fprintf(out, "\treturn bpf_map_lookup_elem(&%s, &key);\n}\n", lock->map);
}

static void put_run(FILE *out, const struct scene *s)
{
	fputs("\n/* For rqspin run: one program per CPU. */\nREPLAY_RUN(.roles = \"", out);
	for (unsigned int i = 0; i < s->nr; i++)
		fprintf(out, "%s%s", i ? "," : "", s->parties[i].function);
	fprintf(out,
		"\",\n\t   .expect = \"%s\",\n\t   .shows = \"replay of a failure of kind %s\",\n"
		"\t   .rounds = %u);\n",
		scene_expect(s), s->kind_text, scene_rounds(s));
}

static void put_party_comment(FILE *out, const struct scene *s, unsigned int i)
{
	const struct scene_party *p = &s->parties[i];
	char text[PARTY_TEXT], lock[LOCK_TEXT];

	fprintf(out, "\n/*\n * Party %u of %u stands for ", i + 1, s->nr);
	comment_put(out, party_text(p, text));
	if (s->kind != SCENE_TIMEOUT || !i) {
		fputs(".\n * It holds ", out);
		comment_put(out, lock_text(&s->locks[p->holds], lock));
	}
	if (s->kind != SCENE_TIMEOUT || i) {
		fputs(".\n * It wants ", out);
		comment_put(out, lock_text(&s->locks[p->wants], lock));
	}
	fputs(s->kind == SCENE_TIMEOUT && !i ? " until the other one has failed.\n */\n" :
					       ".\n */\n",
	      out);
}

/* How a program reaches a lock: a variable's address, or what a look-up found. */
static void put_lock(FILE *out, const struct scene_lock *lock, const char *element)
{
	if (lock->home == HOME_GLOBAL)
		fprintf(out, "&%s", lock->map);
	else
		fprintf(out, "&%s->%s", element, lock->field);
}

static void put_lookup(FILE *out, const struct scene_lock *lock, const char *element)
{
	if (lock->home != HOME_GLOBAL)
		fprintf(out, "\tstruct %s_value *%s = %s_at(%u);\n", lock->map, element, lock->map,
			lock->key);
}

static void put_check(FILE *out, bool first, bool second)
{
	if (first || second)
		fprintf(out, "\n\tif (%s%s%s)\n\t\treturn -ENOMEM;\n", first ? "!first" : "",
			first && second ? " || " : "", second ? "!second" : "");
}

static void put_program(FILE *out, const struct scene *s, unsigned int i)
{
	static const char *const timeout[] = { "OWNER_PARTY", "WAITER_PARTY" };
	const struct scene_party *p = &s->parties[i];
	const struct scene_lock *first = &s->locks[p->holds], *second = &s->locks[p->wants];
	bool two = s->kind != SCENE_TIMEOUT;

	put_party_comment(out, s, i);
	fprintf(out, "SEC(\"tc\")\nint %s(struct __sk_buff *ctx)\n{\n", p->function);
	put_lookup(out, first, "first");
	if (two)
		put_lookup(out, second, "second");
	put_check(out, first->home != HOME_GLOBAL, two && second->home != HOME_GLOBAL);
	fprintf(out, "\t%s(", !two ? timeout[i] : s->kind == SCENE_AA ? "AA_PARTY" : "CYCLE_PARTY");
	put_lock(out, first, "first");
	if (two) {
		fputs(", ", out);
		put_lock(out, second, "second");
	}
	if (s->kind == SCENE_CYCLE)
		fprintf(out, ", %u", s->nr);
	fputs(");\n}\n", out);
}

void source_write(FILE *out, const struct scene *s, const char *from)
{
	put_head(out, s, from);
	for (unsigned int i = 0; i < s->nr_locks; i++) {
		if (s->locks[i].home == HOME_GLOBAL)
			put_variable(out, &s->locks[i]);
		else if (homes_first(s, i))
			put_map(out, s, &s->locks[i]);
	}
	put_run(out, s);
	for (unsigned int i = 0; i < s->nr; i++)
		put_program(out, s, i);
}
