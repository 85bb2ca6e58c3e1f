// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* notes: incomplete. One lock of two, sixteen times: 2^16 sets of locks that may be held. */
#include "many.bpf.h"

#define ELEMS(t, n)                                   \
	struct elem *e##t##n = elem_of(&users, t##n); \
	if (!e##t##n)                                 \
		return 0;

#define ONE_OF(bit, x, y, inner)                                                        \
	do {                                                                            \
		struct bpf_res_spin_lock *one = set & 1 << (bit) ? &x->lock : &y->lock; \
                                                                                        \
		if (bpf_res_spin_lock(one))                                             \
			break;                                                          \
		inner;                                                                  \
		bpf_res_spin_unlock(one);                                               \
	} while (0)

SEC("tc")
int many_sets(struct __sk_buff *ctx)
{
	__u32 set = ctx->mark;

	TENS4(ELEMS, 1, 2, 3, 4)
	ONE_OF(0, e10, e11,
	       ONE_OF(1, e12, e13,
		      ONE_OF(2, e14, e15,
			     ONE_OF(3, e16, e17,
				    ONE_OF(4, e18, e19,
					   ONE_OF(5, e20, e21,
						  ONE_OF(6, e22, e23,
							 ONE_OF(7, e24, e25,
								ONE_OF(8, e26, e27,
								       ONE_OF(9, e28, e29,
									      ONE_OF(10, e30, e31,
										     ONE_OF(11, e32,
											    e33,
											    ONE_OF(12,
												   e34,
												   e35,
												   ONE_OF(13,
													  e36,
													  e37,
													  ONE_OF(14,
														 e38,
														 e39,
														 ONE_OF(15,
															e40,
															e41,
															work++))))))))))))))));
	return 0;
}
