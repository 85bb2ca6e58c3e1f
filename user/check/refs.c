// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "check/refs.h"

#define INSN sizeof(struct bpf_insn)

/* A function of the object. seen: the current search has reached it. */
struct function {
	const char *name;
	size_t section;
	__u64 start, size;
	bool seen;
};

/* An instruction that names a symbol. */
struct relocation {
	size_t section;
	__u64 at;
	GElf_Sym sym;
	const char *name;
};

struct refs {
	Elf *elf;
	size_t names, strings;
	Elf_Data *symbols;
	struct function *functions;
	size_t nr_functions;
	struct relocation *relocations;
	size_t nr_relocations;
};

static const char *section_name(const struct refs *r, size_t section)
{
	Elf_Scn *scn = elf_getscn(r->elf, section);
	GElf_Shdr head;

	return scn && gelf_getshdr(scn, &head) ? elf_strptr(r->elf, r->names, head.sh_name) : NULL;
}

static bool is_code(const struct refs *r, size_t section)
{
	Elf_Scn *scn = elf_getscn(r->elf, section);
	GElf_Shdr head;

	return scn && gelf_getshdr(scn, &head) && head.sh_type == SHT_PROGBITS &&
	       head.sh_flags & SHF_EXECINSTR;
}

static const struct bpf_insn *insn_at(const struct refs *r, size_t section, __u64 at)
{
	Elf_Scn *scn = elf_getscn(r->elf, section);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || at % INSN || at >= data->d_size || data->d_size - at < INSN)
		return NULL;
	return (const struct bpf_insn *)((char *)data->d_buf + at);
}

static int read_symbols(struct refs *r, Elf_Scn *scn, const GElf_Shdr *head)
{
	GElf_Sym sym;
	int err = 0;

	r->symbols = elf_getdata(scn, NULL);
	r->strings = head->sh_link;
	for (int i = 0; !err && r->symbols && gelf_getsym(r->symbols, i, &sym); i++) {
		struct function one = { .name = elf_strptr(r->elf, r->strings, sym.st_name),
					.section = sym.st_shndx,
					.start = sym.st_value,
					.size = sym.st_size };

		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && one.name && is_code(r, one.section))
			err = grow_append((void **)&r->functions, &r->nr_functions, &one,
					  sizeof(one));
	}
	return err;
}

static int read_relocations(struct refs *r, Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rel rel;
	int err = 0;

	for (int i = 0; !err && data && gelf_getrel(data, i, &rel); i++) {
		struct relocation one = { .section = head->sh_info, .at = rel.r_offset };

		if (!gelf_getsym(r->symbols, GELF_R_SYM(rel.r_info), &one.sym))
			continue;
		one.name = elf_strptr(r->elf, r->strings, one.sym.st_name);
		err = grow_append((void **)&r->relocations, &r->nr_relocations, &one, sizeof(one));
	}
	return err;
}

static int read_sections(struct refs *r, unsigned int type,
			 int (*read)(struct refs *, Elf_Scn *, const GElf_Shdr *))
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	int err = 0;

	while (!err && (scn = elf_nextscn(r->elf, scn))) {
		if (!gelf_getshdr(scn, &head) || head.sh_type != type)
			continue;
		if (type == SHT_SYMTAB || (r->symbols && is_code(r, head.sh_info)))
			err = read(r, scn, &head);
	}
	return err;
}

struct refs *refs_read(void *image, size_t size)
{
	struct refs *r = calloc(1, sizeof(*r));

	if (!r || elf_version(EV_CURRENT) == EV_NONE)
		goto failed;
	r->elf = elf_memory(image, size);
	if (!r->elf || elf_getshdrstrndx(r->elf, &r->names) ||
	    read_sections(r, SHT_SYMTAB, read_symbols) ||
	    read_sections(r, SHT_REL, read_relocations))
		goto failed;
	return r;
failed:
	refs_free(r);
	return NULL;
}

void refs_free(struct refs *r)
{
	if (!r)
		return;
	elf_end(r->elf);
	free(r->functions);
	free(r->relocations);
	free(r);
}

struct search {
	struct refs *r;
	void (*found)(void *arg, const struct ref *ref);
	void *arg;
	struct function **todo;
	size_t nr_todo;
	const char **externs; /* reported already */
	size_t nr_externs;
};

static void search_function(struct search *s, size_t section, __u64 at)
{
	for (size_t i = 0; i < s->r->nr_functions; i++) {
		struct function *f = &s->r->functions[i];

		if (f->section != section || at < f->start || at >= f->start + f->size || f->seen)
			continue;
		f->seen = true;
		if (grow_append((void **)&s->todo, &s->nr_todo, &f, sizeof(f)))
			return;
	}
}

static bool is_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL);
}

static void search_extern(struct search *s, const struct ref *ref)
{
	for (size_t i = 0; i < s->nr_externs; i++)
		if (!strcmp(s->externs[i], ref->name))
			return;
	if (!grow_append((void **)&s->externs, &s->nr_externs, &ref->name, sizeof(ref->name)))
		s->found(s->arg, ref);
}

static void search_relocation(struct search *s, const struct relocation *rel)
{
	const struct bpf_insn *insn = insn_at(s->r, rel->section, rel->at);
	struct ref ref = { .name = rel->name, .weak = GELF_ST_BIND(rel->sym.st_info) == STB_WEAK };

	if (!insn)
		return;
	if (rel->sym.st_shndx == SHN_UNDEF) {
		if (ref.name)
			search_extern(s, &ref);
	} else if (is_code(s->r, rel->sym.st_shndx)) {
		__s64 more = is_call(insn) ? ((__s64)insn->imm + 1) * (__s64)INSN : insn->imm;

		search_function(s, rel->sym.st_shndx, rel->sym.st_value + more);
	} else {
		ref.name = NULL;
		ref.section = section_name(s->r, rel->sym.st_shndx);
		ref.off = rel->sym.st_value + (__u32)insn->imm;
		if (ref.section)
			s->found(s->arg, &ref);
	}
}

/* Within a section a call needs no relocation. */
static void search_calls(struct search *s, const struct function *f)
{
	for (__u64 at = f->start; at < f->start + f->size; at += INSN) {
		const struct bpf_insn *insn = insn_at(s->r, f->section, at);

		if (!insn) /* a damaged object: its size is any number */
			return;
		if (is_call(insn) && insn->src_reg == BPF_PSEUDO_CALL && insn->imm != -1)
			search_function(s, f->section, at + ((__s64)insn->imm + 1) * (__s64)INSN);
	}
}

static void search_one(struct search *s, const struct function *f)
{
	for (size_t i = 0; i < s->r->nr_relocations; i++) {
		const struct relocation *rel = &s->r->relocations[i];

		if (rel->section == f->section && rel->at >= f->start &&
		    rel->at < f->start + f->size)
			search_relocation(s, rel);
	}
	search_calls(s, f);
}

void refs_each(const struct refs *refs, const char *section, const char *prog,
	       void (*found)(void *arg, const struct ref *ref), void *arg)
{
	struct search s = { .r = (struct refs *)refs, .found = found, .arg = arg };

	for (size_t i = 0; i < s.r->nr_functions; i++)
		s.r->functions[i].seen = false;
	for (size_t i = 0; i < s.r->nr_functions; i++) {
		const struct function *f = &s.r->functions[i];
		const char *in = section_name(s.r, f->section);

		if (!strcmp(f->name, prog) && in && !strcmp(in, section))
			search_function(&s, f->section, f->start);
	}
	while (s.nr_todo)
		search_one(&s, s.todo[--s.nr_todo]);
	free(s.todo);
	free(s.externs);
}

void refs_code(const struct refs *refs,
	       void (*found)(void *arg, const struct bpf_insn *insns, size_t nr), void *arg)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(refs->elf, scn))) {
		Elf_Data *data = is_code(refs, elf_ndxscn(scn)) ? elf_getdata(scn, NULL) : NULL;

		if (data && data->d_buf)
			found(arg, data->d_buf, data->d_size / INSN);
	}
}

/* Change the image in place: libelf would write a new file. Symbols need not be aligned. */
static void weaken_symbols(char *image, size_t size, const Elf64_Shdr *table)
{
	for (size_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
		char *place = image + table->sh_offset + at;
		Elf64_Sym sym;

		if (table->sh_offset + at + sizeof(sym) > size)
			return;
		memcpy(&sym, place, sizeof(sym));
		if (sym.st_shndx != SHN_UNDEF || ELF64_ST_BIND(sym.st_info) != STB_GLOBAL)
			continue;
		sym.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(sym.st_info));
		memcpy(place, &sym, sizeof(sym));
	}
}

void refs_weaken(void *image, size_t size)
{
	Elf64_Ehdr head;
	Elf64_Shdr table;

	if (size < sizeof(head))
		return;
	memcpy(&head, image, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_shentsize != sizeof(table) || head.e_shoff > size ||
	    head.e_shnum > (size - head.e_shoff) / sizeof(table))
		return;
	for (unsigned int i = 0; i < head.e_shnum; i++) {
		memcpy(&table, (char *)image + head.e_shoff + i * sizeof(table), sizeof(table));
		if (table.sh_type == SHT_SYMTAB && table.sh_offset <= size)
			weaken_symbols(image, size, &table);
	}
}
