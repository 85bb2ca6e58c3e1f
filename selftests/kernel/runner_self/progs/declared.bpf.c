// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tags that do not hold: each of these tests but the last four must fail. */
#include "../../progs/locks.h"

SEC("?tc")
__refused("some message")
int accepted_but_tagged_refused(struct __sk_buff *ctx)
{
	return 0;
}

SEC("?tc")
__refused("some other message")
int refused_with_another_message(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__refused_re("some (other|third) message")
int refused_with_a_message_that_no_expression_matches(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__accepted
int refused_but_tagged_accepted(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__returns(1)
int returns_another_value(struct __sk_buff *ctx)
{
	return 2;
}

SEC("?tc")
__test_tag("nonsense=") int unknown_tag(struct __sk_buff *ctx)
{
	return 0;
}

#define UNRELEASED "bpf_res_spin_lock" /* what every kernel names when it refuses this */

SEC("?tc")
__accepted_if("self_always") __refused(UNRELEASED)
int refused_though_the_kernel_can(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__accepted_if("self_never") __refused("some message")
int accepted_though_the_kernel_cannot(struct __sk_buff *ctx)
{
	return 0;
}

SEC("?tc")
__unless("self_never", "some message") __refused(UNRELEASED)
int refused_without_the_capability_with_another_message(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__accepted_if("no_such_capability") __refused(UNRELEASED)
int unknown_capability(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__accepted_if("self_always") __refused("some message")
int accepted_as_the_kernel_can(struct __sk_buff *ctx)
{
	return 0;
}

SEC("?tc")
__unless("self_never", UNRELEASED) __refused("some message")
int refused_as_the_kernel_cannot(struct __sk_buff *ctx)
{
	return bpf_res_spin_lock(&lock_a);
}

SEC("?tc")
__returns(3)
int returns_the_value(struct __sk_buff *ctx)
{
	return 3;
}

SEC("?tc")
__needs("no_such_kfunc")
__accepted
int wants_a_kfunc(struct __sk_buff *ctx)
{
	return 0;
}

char _license[] SEC("license") = "Dual BSD/GPL";
