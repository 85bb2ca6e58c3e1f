// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/rehearse.h"
#include "counted.h"
#include "bpf/counted.skel.h"
#include "run/linked.h"

#define FD_PATH 32

/* Files without a name, because libbpf's linker reads and writes files only. */
static int memory_file(char path[FD_PATH])
{
	int fd = memfd_create("rqspin_linked", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	snprintf(path, FD_PATH, "/proc/self/fd/%d", fd);
	return fd;
}

static int link_files(const char *out, const char *object, const char *counting)
{
	struct bpf_linker *linker = bpf_linker__new(out, NULL);
	int err = linker ? 0 : -errno;

	if (!err)
		err = bpf_linker__add_file(linker, object, NULL);
	if (!err)
		err = bpf_linker__add_file(linker, counting, NULL);
	if (!err)
		err = bpf_linker__finalize(linker);
	bpf_linker__free(linker);
	return err;
}

static int read_all(struct linked *l, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	l->elf = malloc(st.st_size);
	if (!l->elf)
		return -ENOMEM;
	l->size = st.st_size;
	return pread(fd, l->elf, l->size, 0) == st.st_size ? 0 : -EIO;
}

static int link_to(struct linked *l, const char *path, int out, const char *out_path)
{
	char counting[FD_PATH];
	size_t size;
	const void *elf = counted_bpf__elf_bytes(&size);
	int fd = memory_file(counting), err;

	if (fd < 0)
		return fd;
	err = write(fd, elf, size) == (ssize_t)size ? link_files(out_path, path, counting) : -EIO;
	close(fd);
	return err ? err : read_all(l, out);
}

/* The linker's output is trusted: it needs no second check. */
static Elf64_Shdr *linked_sections(const struct linked *l, unsigned int *nr)
{
	const Elf64_Ehdr *eh = l->elf;

	*nr = eh->e_shnum;
	return l->elf + eh->e_shoff;
}

/* The section of that name, NULL if there is none. */
static void *section_find(const struct linked *l, const char *name, size_t *size)
{
	unsigned int nr;
	const Elf64_Shdr *sh = linked_sections(l, &nr);
	const char *names = l->elf + sh[((Elf64_Ehdr *)l->elf)->e_shstrndx].sh_offset;

	for (unsigned int i = 1; i < nr; i++) {
		if (strcmp(names + sh[i].sh_name, name))
			continue;
		*size = sh[i].sh_size;
		return l->elf + sh[i].sh_offset;
	}
	return NULL;
}

static bool is_lock_function(const char *name)
{
	return !strcmp(name, "bpf_res_spin_lock") || !strcmp(name, "bpf_res_spin_lock_irqsave");
}

static bool is_address_load(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/*
 * A check whether the kernel has a function loads its address. For the verifier the address of a
 * program's own function may be 0, so it would follow the branch for kernels without the function,
 * too.
 */
static void questions_answer(struct linked *l, Elf64_Shdr *sh, Elf64_Shdr *rel)
{
	const Elf64_Sym *syms = l->elf + sh[rel->sh_link].sh_offset;
	const char *names = l->elf + sh[sh[rel->sh_link].sh_link].sh_offset;
	Elf64_Rel *rels = l->elf + rel->sh_offset;
	size_t kept = 0, nr = rel->sh_size / sizeof(*rels);

	for (size_t i = 0; i < nr; i++) {
		const Elf64_Sym *sym = &syms[ELF64_R_SYM(rels[i].r_info)];
		struct bpf_insn *insn = l->elf + sh[rel->sh_info].sh_offset + rels[i].r_offset;

		if (!is_lock_function(names + sym->st_name) || !is_address_load(insn)) {
			rels[kept++] = rels[i];
			continue;
		}
		insn[0].src_reg = 0;
		insn[0].imm = 1;
		insn[1].imm = 0;
	}
	rel->sh_size = kept * sizeof(*rels);
}

static void calls_repair(struct linked *l)
{
	unsigned int nr;
	Elf64_Shdr *sh = linked_sections(l, &nr);

	for (unsigned int i = 1; i < nr; i++)
		if (sh[i].sh_type == SHT_REL && (sh[sh[i].sh_info].sh_flags & SHF_EXECINSTR))
			questions_answer(l, sh, &sh[i]);
}

/* A function's linkage is where other types have their number of members. */
static bool is_defined(const struct btf_type *t)
{
	return btf_is_func(t) && btf_vlen(t) != BTF_FUNC_EXTERN;
}

/*
 * The linker leaves functions that are now defined in .ksyms, the list of the kernel's functions,
 * and libbpf looks for all of that list in the kernel. They are replaced by another entry, since an
 * entry that is listed twice is no error.
 */
static int ksyms_replace(const struct btf *btf, struct btf_var_secinfo *vars, unsigned int nr)
{
	__u32 other = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (!is_defined(btf__type_by_id(btf, vars[i].type)))
			other = vars[i].type;
	for (unsigned int i = 0; other && i < nr; i++)
		if (is_defined(btf__type_by_id(btf, vars[i].type)))
			vars[i].type = other;
	return other ? 0 : -ENOENT;
}

static int ksyms_repair(struct linked *l)
{
	size_t size = 0;
	void *section = section_find(l, ".BTF", &size);
	struct btf *btf = section ? btf__new(section, size) : NULL;
	const void *raw;
	__u32 raw_size;
	int id, err = btf ? 0 : -EINVAL;

	id = err ?: btf__find_by_name_kind(btf, ".ksyms", BTF_KIND_DATASEC);
	if (id > 0) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		err = ksyms_replace(btf, btf_var_secinfos(t), btf_vlen(t));
		raw = btf__raw_data(btf, &raw_size);
		if (!err && raw_size == size)
			memcpy(section, raw, size);
	}
	btf__free(btf);
	return err;
}

/* Does the object call a function that can be counted? The fallback lock has no such function. */
static bool calls_lock_function(const char *path)
{
	struct btf *btf = btf__parse_elf(path, NULL);
	bool calls = false;

	for (__u32 i = 1; btf && i < btf__type_cnt(btf) && !calls; i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);

		calls = btf_is_func(t) && !is_defined(t) &&
			is_lock_function(btf__name_by_offset(btf, t->name_off));
	}
	btf__free(btf);
	return calls;
}

static int linked_build(struct linked *l, const char *path)
{
	char out_path[FD_PATH];
	int out, err;

	if (!calls_lock_function(path)) {
		snprintf(
			l->why, sizeof(l->why),
			"the object calls neither bpf_res_spin_lock() nor "
			"bpf_res_spin_lock_irqsave(), and locks of the fallback cannot be counted");
		return -ENOENT;
	}
	out = memory_file(out_path);
	if (out < 0)
		return out;
	err = link_to(l, path, out, out_path);
	close(out);
	if (!err)
		calls_repair(l);
	return err ? err : ksyms_repair(l);
}

static void build_and_forget(void *path)
{
	struct linked l = { 0 };

	linked_build(&l, path);
}

int linked_make(struct linked *l, const char *path)
{
	int sig = rehearse_in_child(build_and_forget, (void *)path), err = -EINVAL;

	*l = (struct linked){ 0 };
	if (sig) {
		snprintf(l->why, sizeof(l->why), "libbpf's linker crashes on the object (%s)",
			 strsignal(sig));
		return err;
	}
	log_trying(true);
	err = linked_build(l, path);
	log_trying(false);
	if (!err)
		return 0;
	linked_free(l);
	if (!*l->why)
		snprintf(l->why, sizeof(l->why), "libbpf cannot link it (%s)", strerror(-err));
	return err;
}

void linked_free(struct linked *l)
{
	free(l->elf);
	l->elf = NULL;
}
