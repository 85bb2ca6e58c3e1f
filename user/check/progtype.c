// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "check/progtype.h"

/* Of linux/bpf.h of Linux 6.4 and later. */
#define TYPE_NETFILTER	 32
#define ATTACH_NETFILTER 45

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Arguments of program types. If several types have the same one, the first is the usual one. */
static const struct {
	const char *context;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
} contexts[] = {
	{ "__sk_buff", BPF_PROG_TYPE_SCHED_CLS, 0 },
	{ "__sk_buff", BPF_PROG_TYPE_SCHED_ACT, 0 },
	{ "__sk_buff", BPF_PROG_TYPE_SOCKET_FILTER, 0 },
	{ "__sk_buff", BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_INGRESS },
	{ "__sk_buff", BPF_PROG_TYPE_SK_SKB, BPF_SK_SKB_STREAM_VERDICT },
	{ "__sk_buff", BPF_PROG_TYPE_LWT_IN, 0 },
	{ "__sk_buff", BPF_PROG_TYPE_LWT_OUT, 0 },
	{ "__sk_buff", BPF_PROG_TYPE_LWT_XMIT, 0 },
	{ "__sk_buff", BPF_PROG_TYPE_FLOW_DISSECTOR, BPF_FLOW_DISSECTOR },
	{ "xdp_md", BPF_PROG_TYPE_XDP, BPF_XDP },
	{ "bpf_sock_ops", BPF_PROG_TYPE_SOCK_OPS, BPF_CGROUP_SOCK_OPS },
	{ "sk_msg_md", BPF_PROG_TYPE_SK_MSG, BPF_SK_MSG_VERDICT },
	{ "bpf_sock", BPF_PROG_TYPE_CGROUP_SOCK, BPF_CGROUP_INET_SOCK_CREATE },
	{ "bpf_sock_addr", BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_CONNECT },
	{ "bpf_sockopt", BPF_PROG_TYPE_CGROUP_SOCKOPT, BPF_CGROUP_GETSOCKOPT },
	{ "bpf_sysctl", BPF_PROG_TYPE_CGROUP_SYSCTL, BPF_CGROUP_SYSCTL },
	{ "bpf_cgroup_dev_ctx", BPF_PROG_TYPE_CGROUP_DEVICE, BPF_CGROUP_DEVICE },
	{ "sk_reuseport_md", BPF_PROG_TYPE_SK_REUSEPORT, BPF_SK_REUSEPORT_SELECT },
	{ "bpf_sk_lookup", BPF_PROG_TYPE_SK_LOOKUP, BPF_SK_LOOKUP },
	{ "bpf_nf_ctx", TYPE_NETFILTER, ATTACH_NETFILTER },
	{ "pt_regs", BPF_PROG_TYPE_KPROBE, 0 },
	{ "user_pt_regs", BPF_PROG_TYPE_KPROBE, 0 },
	{ "bpf_perf_event_data", BPF_PROG_TYPE_PERF_EVENT, 0 },
	{ "bpf_raw_tracepoint_args", BPF_PROG_TYPE_RAW_TRACEPOINT, 0 },
};

enum bpf_prog_type progtype_named(const char *name, enum bpf_attach_type *attach)
{
	enum bpf_prog_type type;
	char section[100];

	*attach = 0;
	for (size_t i = 0; i < NR(contexts); i++)
		if (!strcmp(name, libbpf_bpf_prog_type_str(contexts[i].type) ?: "")) {
			*attach = contexts[i].attach;
			return contexts[i].type;
		}
	for (int i = 1; libbpf_bpf_prog_type_str(i); i++)
		if (!strcmp(name, libbpf_bpf_prog_type_str(i)))
			return i;
	if (!libbpf_prog_type_by_name(name, &type, attach))
		return type;
	/* In some sections a name follows the type. */
	snprintf(section, sizeof(section), "%s/", name);
	return libbpf_prog_type_by_name(section, &type, attach) ? BPF_PROG_TYPE_UNSPEC : type;
}

bool progtype_is_open(const struct bpf_program *prog)
{
	enum bpf_prog_type type = bpf_program__type(prog);

	/* freplace needs the function to replace; as another type it can be looked at. */
	return type == BPF_PROG_TYPE_UNSPEC || type == BPF_PROG_TYPE_EXT;
}

static const struct btf_type *type_resolve(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* Name of the structure that the only argument points to, or NULL. */
static const char *context_name(const struct btf *btf, const char *prog)
{
	int id = btf ? btf__find_by_name_kind(btf, prog, BTF_KIND_FUNC) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || btf_vlen(t) != 1)
		return NULL;
	t = type_resolve(btf, btf_params(t)[0].type);
	if (!t || !btf_is_ptr(t))
		return NULL;
	t = type_resolve(btf, t->type);
	return t && btf_is_composite(t) ? btf__name_by_offset(btf, t->name_off) : NULL;
}

static bool context_fits(enum bpf_prog_type type, const char *context)
{
	for (size_t i = 0; i < NR(contexts); i++)
		if (contexts[i].type == type && !strcmp(contexts[i].context, context))
			return true;
	return false;
}

static int class_of(char c)
{
	return isdigit((unsigned char)c) ? 1 : isalpha((unsigned char)c) ? 2 : 0;
}

/* Of "tc_packet_hook0" try "tc_packet_hook", "tc_packet", "tc": longer words are more precise. */
static enum bpf_prog_type section_guess(const char *section, const char *context,
					enum bpf_attach_type *attach)
{
	char word[200];
	size_t len;

	snprintf(word, sizeof(word), "%s", section + (*section == '?'));
	for (len = strlen(word); len;) {
		enum bpf_prog_type type = BPF_PROG_TYPE_UNSPEC;
		int class = class_of(word[len - 1]);

		if (class)
			type = progtype_named(word, attach);
		if (type && type != BPF_PROG_TYPE_EXT && (!context || context_fits(type, context)))
			return type;
		while (len && class_of(word[len - 1]) == class)
			word[--len] = 0;
	}
	return BPF_PROG_TYPE_UNSPEC;
}

enum bpf_prog_type progtype_guess(const struct bpf_object *obj, const struct bpf_program *prog,
				  enum bpf_attach_type *attach)
{
	const char *context = context_name(bpf_object__btf(obj), bpf_program__name(prog));
	enum bpf_prog_type type = section_guess(bpf_program__section_name(prog), context, attach);

	if (type || !context)
		return type;
	for (size_t i = 0; i < NR(contexts); i++)
		if (!strcmp(contexts[i].context, context)) {
			*attach = contexts[i].attach;
			return contexts[i].type;
		}
	if (!strncmp(context, "trace_event_raw_", strlen("trace_event_raw_")))
		return BPF_PROG_TYPE_TRACEPOINT;
	return BPF_PROG_TYPE_UNSPEC;
}
