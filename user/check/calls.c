// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "check/calls.h"
#include "kernel/kernelbtf.h"
#include "names/ksyms.h"

struct calls {
	struct ksyms *ksyms;
	const struct btf *btf;
	__u64 base; /* address that calls are relative to; 0: not known */
};

static const struct {
	const char *name;
	enum call_kind kind;
	bool irqsave;
} table[] = {
	{ "bpf_res_spin_lock", CALL_LOCK, false },
	{ "bpf_res_spin_lock_irqsave", CALL_LOCK, true },
	{ "bpf_res_spin_unlock", CALL_UNLOCK, false },
	{ "bpf_res_spin_unlock_ooo", CALL_UNLOCK, false },
	{ "bpf_res_spin_unlock_irqrestore", CALL_UNLOCK, true },
	{ "bpf_spin_lock", CALL_SPIN_LOCK, false },
	{ "bpf_spin_unlock", CALL_UNLOCK, false },
	{ "bpf_local_irq_save", CALL_IRQ_SAVE, false },
	{ "bpf_local_irq_restore", CALL_IRQ_RESTORE, false },
	{ "__htab_map_lookup_elem", CALL_LOOKUP_INNER, false },
	{ "bpf_obj_new_impl", CALL_OBJECT_NEW, false },
	{ "bpf_obj_new", CALL_OBJECT_NEW, false },
	{ "bpf_refcount_acquire_impl", CALL_OBJECT_SAME, false },
	{ "bpf_refcount_acquire", CALL_OBJECT_SAME, false },
	{ "bpf_list_pop_front", CALL_OBJECT, false },
	{ "bpf_list_pop_back", CALL_OBJECT, false },
	{ "bpf_list_front", CALL_OBJECT, false },
	{ "bpf_list_back", CALL_OBJECT, false },
	{ "bpf_rbtree_first", CALL_OBJECT, false },
	{ "bpf_rbtree_root", CALL_OBJECT, false },
	{ "bpf_rbtree_left", CALL_OBJECT, false },
	{ "bpf_rbtree_right", CALL_OBJECT, false },
	{ "bpf_rbtree_remove", CALL_OBJECT, false },
	{ "bpf_get_local_storage", CALL_STORAGE, false },
	{ "bpf_dynptr_slice", CALL_SLICE, false },
	{ "bpf_dynptr_slice_rdwr", CALL_SLICE, false },
	{ "bpf_throw", CALL_NO_RETURN, false },
};

static __u64 base_addr(struct ksyms *ksyms)
{
	return ksyms ? ksyms_addr(ksyms, "__bpf_call_base") : 0;
}

struct calls *calls_open(void)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->ksyms = ksyms_open();
	calls->btf = kernelbtf_get();
	calls->base = base_addr(calls->ksyms);
	return calls;
}

void calls_close(struct calls *calls)
{
	if (!calls)
		return;
	if (calls->ksyms)
		ksyms_close(calls->ksyms);
	free(calls);
}

bool calls_known(const struct calls *calls)
{
	return calls->base;
}

/* A call has the function's offset, or its BTF id if the function may be too far away. */
static const char *name_of(struct calls *calls, const struct bpf_insn *insn)
{
	const struct btf_type *t;
	const char *name;
	bool data;
	__u64 off;

	name = ksyms_find(calls->ksyms, calls->base + (__s64)insn->imm, &off, &data);
	if (name && !off && !data)
		return name;
	if (insn->src_reg != BPF_PSEUDO_KFUNC_CALL || insn->off || !calls->btf)
		return "";
	t = btf__type_by_id(calls->btf, insn->imm);
	return t && btf_is_func(t) ? btf__name_by_offset(calls->btf, t->name_off) : "";
}

static bool ends_with(const char *s, const char *with)
{
	size_t len = strlen(s), n = strlen(with);

	return len >= n && !strcmp(s + len - n, with);
}

/* Each map type has its own function for an operation. */
static enum call_kind kind_by_shape(const char *name)
{
	if (ends_with(name, "lookup_elem") || ends_with(name, "lookup_percpu_elem"))
		return CALL_LOOKUP;
	if (strstr(name, "_storage_get"))
		return CALL_STORAGE;
	return CALL_OTHER;
}

#define SIZE_AFTER(reg) (1U << (reg))

/* Helpers that write only to buffers whose size is in the next register. Others may write more. */
static const struct {
	const char *name;
	__u8 sizes;
} helpers[] = {
	{ "bpf_probe_read_user", SIZE_AFTER(1) },
	{ "bpf_probe_read_kernel", SIZE_AFTER(1) },
	{ "bpf_probe_read_user_str", SIZE_AFTER(1) },
	{ "bpf_probe_read_kernel_str", SIZE_AFTER(1) },
	{ "bpf_probe_read_compat", SIZE_AFTER(1) },
	{ "bpf_probe_read_compat_str", SIZE_AFTER(1) },
	{ "bpf_copy_from_user", SIZE_AFTER(1) },
	{ "bpf_copy_from_user_task", SIZE_AFTER(1) },
	{ "bpf_get_current_comm", SIZE_AFTER(1) },
	{ "bpf_dynptr_read", SIZE_AFTER(1) },
	{ "bpf_snprintf", SIZE_AFTER(1) | SIZE_AFTER(4) },
	{ "bpf_fib_lookup", SIZE_AFTER(2) },
	{ "bpf_skb_fib_lookup", SIZE_AFTER(2) },
	{ "bpf_xdp_fib_lookup", SIZE_AFTER(2) },
	{ "bpf_skb_get_tunnel_key", SIZE_AFTER(2) },
	{ "bpf_skb_load_bytes", SIZE_AFTER(3) },
	{ "bpf_skb_load_bytes_relative", SIZE_AFTER(3) },
	{ "bpf_xdp_load_bytes", SIZE_AFTER(3) },
	{ "bpf_get_ns_current_pid_tgid", SIZE_AFTER(3) },
};

static bool name_reads(const char *name)
{
	return ends_with(name, "_update_elem") || ends_with(name, "_delete_elem") ||
	       ends_with(name, "_push_elem") || ends_with(name, "_output") ||
	       !strcmp(name, "bpf_trace_printk") || !strcmp(name, "bpf_trace_vprintk") ||
	       !strcmp(name, "bpf_seq_write") || !strcmp(name, "bpf_seq_printf") ||
	       !strcmp(name, "bpf_skb_store_bytes") || !strcmp(name, "bpf_xdp_store_bytes");
}

/* The suffix of a parameter's name marks it as the size of the one before. */
static __u8 kfunc_sizes(const struct calls *calls, const char *name)
{
	__s32 id = calls->btf ? btf__find_by_name_kind(calls->btf, name, BTF_KIND_FUNC) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(calls->btf, id) : NULL;
	const struct btf_param *params;
	__u8 sizes = 0;

	t = t ? btf__type_by_id(calls->btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t))
		return 0;
	params = btf_params(t);
	for (int i = 1; i < btf_vlen(t) && i < 5; i++) {
		const char *param = btf__name_by_offset(calls->btf, params[i].name_off);

		if (ends_with(param, "__sz") || ends_with(param, "__szk"))
			sizes |= SIZE_AFTER(i);
	}
	return sizes;
}

static void set_writes(const struct calls *calls, const struct bpf_insn *insn, struct call *call)
{
	call->reads = name_reads(call->name);
	if (insn->src_reg == BPF_PSEUDO_KFUNC_CALL)
		call->sizes = kfunc_sizes(calls, call->name);
	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++)
		if (!strcmp(helpers[i].name, call->name))
			call->sizes = helpers[i].sizes;
}

struct call calls_of(struct calls *calls, const struct bpf_insn *insn)
{
	struct call call = { .name = name_of(calls, insn) };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, call.name))
			continue;
		call.kind = table[i].kind;
		call.irqsave = table[i].irqsave;
		return call;
	}
	call.kind = kind_by_shape(call.name);
	if (call.kind == CALL_OTHER)
		set_writes(calls, insn, &call);
	return call;
}
