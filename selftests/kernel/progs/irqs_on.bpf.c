// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Helpers that may turn interrupts on, one program each, and similar helpers that do not:
 * docs/holes.md, "irqs-on".
 */
#include "test_kfuncs.h"

#define REFUSED(helper) "helper bpf_" #helper "#[0-9]+ may turn interrupts on"

/* The program has the name of the helper. */
#define WITH_IRQS_OFF(section, type, helper, call) \
	SEC("?" section) int helper(type *ctx)     \
	{                                          \
		irqs_off(call);                    \
		return 0;                          \
	}
#define TURNS_ON(section, type, helper, call) \
	__hole("irqs-on")                     \
	__refused_re(REFUSED(helper))         \
	WITH_IRQS_OFF(section, type, helper, call)
#define LEAVES_OFF(section, type, helper, call) \
	__accepted                              \
	WITH_IRQS_OFF(section, type, helper, call)

/* Some kernels forbid these program types to change maps of sockets. */
#define NEEDS_CHANGES __unless("sockmap_from_tc", "cannot update sockmap in this context")

/* Calls a helper with a socket that the program has looked up before. */
#define OF_SOCKET(section, type, lookup, helper, call)                                \
	__hole("irqs-on")                                                             \
	__refused_re(REFUSED(helper))                                                 \
	SEC("?" section) int helper(type *ctx)                                        \
	{                                                                             \
		struct bpf_sock_tuple tuple = {};                                     \
		__u32 key = 0;                                                        \
		struct bpf_sock *sk;                                                  \
                                                                                      \
		sk = lookup(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0); \
		if (!sk)                                                              \
			return 0;                                                     \
		irqs_off(call);                                                       \
		bpf_sk_release(sk);                                                   \
		return (int)key;                                                      \
	}

/* The look-up itself. */
#define LOOKUP(helper)                                                                           \
	__hole("irqs-on")                                                                        \
	__refused_re(REFUSED(helper))                                                            \
	SEC("?tc") int helper(struct __sk_buff *ctx)                                             \
	{                                                                                        \
		struct bpf_sock_tuple tuple = {};                                                \
		struct bpf_sock *sk;                                                             \
                                                                                                 \
		irqs_off(sk = bpf_##helper(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, \
					   0));                                                  \
		if (sk)                                                                          \
			bpf_sk_release(sk);                                                      \
		return 0;                                                                        \
	}

#define MAP(name, kind, size)              \
	struct {                           \
		__uint(type, kind);        \
		__uint(max_entries, size); \
		__type(key, __u32);        \
		__type(value, __u64);      \
	} name SEC(".maps")

MAP(sockmap, BPF_MAP_TYPE_SOCKMAP, 1);
MAP(sockhash, BPF_MAP_TYPE_SOCKHASH, 1);
MAP(reuseports, BPF_MAP_TYPE_REUSEPORT_SOCKARRAY, 1);
MAP(hash, BPF_MAP_TYPE_HASH, 1);

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u64);
} of_sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, 4);
	__uint(value_size, 4);
} events SEC(".maps");

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct timed);
} timers SEC(".maps");

__u32 zero;
__u64 data;
struct bpf_fib_lookup route;
struct sockaddr_in address;

/* Packets: sent, changed, freed in parts. */
TURNS_ON("tc", struct __sk_buff, clone_redirect, bpf_clone_redirect(ctx, 1, 0))
TURNS_ON("tc", struct __sk_buff, skb_ecn_set_ce, bpf_skb_ecn_set_ce(ctx))
TURNS_ON("tc", struct __sk_buff, skb_vlan_push, bpf_skb_vlan_push(ctx, 0, 1))
TURNS_ON("tc", struct __sk_buff, skb_pull_data, bpf_skb_pull_data(ctx, 64))
TURNS_ON("tc", struct __sk_buff, skb_change_tail, bpf_skb_change_tail(ctx, 64, 0))
TURNS_ON("tc", struct __sk_buff, skb_store_bytes, bpf_skb_store_bytes(ctx, 0, &data, 8, 0))
TURNS_ON("tc", struct __sk_buff, l4_csum_replace, bpf_l4_csum_replace(ctx, 0, 0, 0, 2))
TURNS_ON("xdp", struct xdp_md, xdp_adjust_head, bpf_xdp_adjust_head(ctx, 4))
TURNS_ON("xdp", struct xdp_md, xdp_adjust_tail, bpf_xdp_adjust_tail(ctx, -4))
TURNS_ON("sk_msg", struct sk_msg_md, msg_pull_data, bpf_msg_pull_data(ctx, 0, 8, 0))
LEAVES_OFF("tc", struct __sk_buff, skb_load_bytes, bpf_skb_load_bytes(ctx, 0, &data, 8))
LEAVES_OFF("tc", struct __sk_buff, csum_update, bpf_csum_update(ctx, 0))
LEAVES_OFF("xdp", struct xdp_md, xdp_get_buff_len, bpf_xdp_get_buff_len(ctx))

/* Locks of the _bh kind. */
TURNS_ON("tc", struct __sk_buff, fib_lookup, bpf_fib_lookup(ctx, &route, sizeof(route), 0))
TURNS_ON("cgroup/connect4", struct bpf_sock_addr, bind,
	 bpf_bind(ctx, (struct sockaddr *)&address, sizeof(address)))
TURNS_ON("sockops", struct bpf_sock_ops, setsockopt, bpf_setsockopt(ctx, 1, 2, &data, 4))
TURNS_ON("sockops", struct bpf_sock_ops, getsockopt, bpf_getsockopt(ctx, 1, 2, &data, 4))
TURNS_ON("sockops", struct bpf_sock_ops, sock_map_update,
	 bpf_sock_map_update(ctx, &sockmap, &zero, 0))
TURNS_ON("sockops", struct bpf_sock_ops, sock_hash_update,
	 bpf_sock_hash_update(ctx, &sockhash, &zero, 0))
LEAVES_OFF("sockops", struct bpf_sock_ops, sock_ops_cb_flags_set, bpf_sock_ops_cb_flags_set(ctx, 0))

/* References to sockets. */
LOOKUP(sk_lookup_tcp)
LOOKUP(sk_lookup_udp)
LOOKUP(skc_lookup_tcp)
OF_SOCKET("tc", struct __sk_buff, bpf_sk_lookup_tcp, sk_assign, bpf_sk_assign(ctx, sk, 0))
OF_SOCKET("tc", struct __sk_buff, bpf_sk_lookup_tcp, sk_storage_get,
	  bpf_sk_storage_get(&of_sockets, sk, NULL, 0))
OF_SOCKET("tc", struct __sk_buff, bpf_sk_lookup_tcp, sk_storage_delete,
	  bpf_sk_storage_delete(&of_sockets, sk))
/* The helper of the same name that only stores the socket. */
LEAVES_OFF("sk_lookup", struct bpf_sk_lookup, sk_assign_of_a_lookup, bpf_sk_assign(ctx, NULL, 0))
TURNS_ON("sk_reuseport", struct sk_reuseport_md, sk_select_reuseport,
	 bpf_sk_select_reuseport(ctx, &reuseports, &zero, 0))
TURNS_ON("sk_reuseport", struct sk_reuseport_md, map_update_elem,
	 if (ctx->sk) bpf_map_update_elem(&sockhash, &zero, ctx->sk, 0))
TURNS_ON("sk_lookup", struct bpf_sk_lookup, map_delete_elem, bpf_map_delete_elem(&sockhash, &zero))

__hole("irqs-on")
__refused_re(REFUSED(map_delete_elem))
WITH_IRQS_OFF("sk_lookup", struct bpf_sk_lookup, socket_map_changed,
	      bpf_map_delete_elem(&sockmap, &zero))

NEEDS_CHANGES
__hole("irqs-on")
__refused_re(REFUSED(map_delete_elem))
WITH_IRQS_OFF("tc", struct __sk_buff, socket_map_changed_in_tc,
	      bpf_map_delete_elem(&sockmap, &zero))

NEEDS_CHANGES
__hole("irqs-on")
__refused_re(REFUSED(map_delete_elem))
WITH_IRQS_OFF("tc", struct __sk_buff, socket_hash_changed_in_tc,
	      bpf_map_delete_elem(&sockhash, &zero))

SEC("?tc")
NEEDS_CHANGES
__hole("irqs-on")
__refused_re(REFUSED(map_update_elem))
int socket_inserted_in_tc(struct __sk_buff *ctx)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;

	sk = bpf_sk_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return 0;
	irqs_off(bpf_map_update_elem(&sockhash, &zero, sk, 0));
	bpf_sk_release(sk);
	return 0;
}

SEC("?tc")
__hole("irqs-on")
__refused("may turn interrupts on")
int socket_released(struct __sk_buff *ctx)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *sk;

	sk = bpf_sk_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return 0;
	irqs_off(bpf_sk_release(sk));
	return 0;
}

extern int bpf_sock_destroy(struct sock_common *sock) __weak __ksym;

SEC("?iter/tcp")
__hole("irqs-on")
__refused("may turn interrupts on")
int socket_destroyed(struct bpf_iter__tcp *ctx)
{
	struct sock_common *sk = ctx->sk_common;

	if (!sk)
		return 0;
	irqs_off(bpf_sock_destroy(sk));
	return 0;
}

extern int bpf_sk_assign_tcp_reqsk(struct __sk_buff *s, struct sock *sk,
				   struct bpf_tcp_req_attrs *attrs, int attrs__sz) __weak __ksym;

SEC("?tc")
__needs("bpf_sk_assign_tcp_reqsk")
__hole("irqs-on")
__refused("may turn interrupts on")
int socket_assigned(struct __sk_buff *ctx)
{
	struct bpf_tcp_req_attrs attrs = {};
	struct bpf_sock_tuple tuple = {};
	struct tcp_sock *listener;
	struct bpf_sock *sk;

	sk = bpf_skc_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!sk)
		return 0;
	listener = bpf_skc_to_tcp_sock(sk);
	if (listener) {
		irqs_off(bpf_sk_assign_tcp_reqsk(ctx, (struct sock *)listener, &attrs,
						 sizeof(attrs)));
	}
	bpf_sk_release(sk);
	return 0;
}

/* Other maps, and helpers that docs/holes.md calls safe. */
LEAVES_OFF("tc", struct __sk_buff, ringbuf_output, bpf_ringbuf_output(&ring, &data, 8, 0))
LEAVES_OFF("tc", struct __sk_buff, perf_event_output,
	   bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, &data, 8))

__accepted
WITH_IRQS_OFF("tc", struct __sk_buff, other_maps_changed,
	      bpf_map_update_elem(&hash, &zero, &data, 0);
	      bpf_map_delete_elem(&hash, &zero))

SEC("?tc")
__accepted
int timer_start(struct __sk_buff *ctx)
{
	struct timed *t = bpf_map_lookup_elem(&timers, &zero);

	if (!t)
		return 0;
	irqs_off(bpf_timer_start(&t->timer, 1000, 0));
	return 0;
}

/* Dynptrs to the memory of a packet, and to that of a map. */

extern int bpf_dynptr_from_skb(struct __sk_buff *skb, __u64 flags,
			       struct bpf_dynptr *ptr) __weak __ksym;

SEC("?tc")
__hole("irqs-on")
__refused_re(REFUSED(dynptr_write))
int dynptr_write(struct __sk_buff *ctx)
{
	struct bpf_dynptr ptr;

	bpf_dynptr_from_skb(ctx, 0, &ptr);
	irqs_off(bpf_dynptr_write(&ptr, 0, &data, 8, 0));
	return 0;
}

SEC("?tc")
__accepted
int dynptr_write_to_a_map(struct __sk_buff *ctx)
{
	__u64 *value = bpf_map_lookup_elem(&hash, &zero);
	struct bpf_dynptr ptr;

	if (!value)
		return 0;
	bpf_dynptr_from_mem(value, 8, 0, &ptr);
	irqs_off(bpf_dynptr_write(&ptr, 0, &data, 8, 0));
	return 0;
}

/* Function calls that lead to such a helper. */

static __noinline int static_clone(struct __sk_buff *ctx)
{
	return (int)bpf_clone_redirect(ctx, 1, 0);
}

SEC("?tc")
__hole("irqs-on")
__refused("may turn interrupts on")
int clone_redirect_in_a_function(struct __sk_buff *ctx)
{
	int err;

	irqs_off(err = static_clone(ctx));
	return err;
}

__noinline int global_clone(struct __sk_buff *ctx)
{
	return (int)bpf_clone_redirect(ctx, 1, 0);
}

SEC("?tc")
__hole("irqs-on")
__refused_re("global functions? .*may turn interrupts on")
int clone_redirect_in_a_global_function(struct __sk_buff *ctx)
{
	int err;

	irqs_off(err = global_clone(ctx));
	return err;
}

SEC("?tc")
__accepted
int clone_redirect_afterwards(struct __sk_buff *ctx)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_local_irq_restore(&flags);
	return (int)bpf_clone_redirect(ctx, 1, 0);
}

char _license[] SEC("license") = "GPL";
