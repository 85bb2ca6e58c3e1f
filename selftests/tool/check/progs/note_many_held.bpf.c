// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. 40 locks held at once are more than can be followed. */
#include "many.bpf.h"

#define FIND(t, n)                                    \
	struct elem *e##t##n = elem_of(&users, t##n); \
	if (!e##t##n)                                 \
		return 0;
#define TAKE(t, n)                             \
	if (bpf_res_spin_lock(&e##t##n->lock)) \
		goto out##t##n;
#define RELEASE(t, n)                        \
	bpf_res_spin_unlock(&e##t##n->lock); \
	out##t##n:

#define NET(t, x) x(t, 9) x(t, 8) x(t, 7) x(t, 6) x(t, 5) x(t, 4) x(t, 3) x(t, 2) x(t, 1) x(t, 0)

SEC("tc")
int many_held(struct __sk_buff *ctx)
{
	TENS4(FIND, 1, 2, 3, 4)
	TENS4(TAKE, 1, 2, 3, 4)
	work++;
	NET(4, RELEASE) NET(3, RELEASE) NET(2, RELEASE) NET(1, RELEASE) return 0;
}
