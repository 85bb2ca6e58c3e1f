// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * res_lock_rank.bpf.h: the table comes before its rows, and the compiler holds everybody to it: the
 * two guards the other way round do not compile, and the error names both ranks.
 *   bpftool prog loadall rank.bpf.o /sys/fs/bpf/rank
 *   bpftool prog run pinned /sys/fs/bpf/rank/rank data_in /etc/os-release repeat 1000
 * Expect: 0.
 */
#include "sample.bpf.h"
#include <rqspin/res_lock_rank.bpf.h>

RES_LOCK_RANK(table, 1);
RES_LOCK_RANK(row, 2);

struct bpf_res_spin_lock table_lock __hidden SEC(".data.table_lock");
struct bpf_res_spin_lock row_lock __hidden SEC(".data.row_lock");
__u64 reads, writes;

SEC("tc")
int rank(struct __sk_buff *ctx)
{
	struct sample_scope s;

	sample_begin(&s);
	res_guard_ranked(table, &table_lock) {
		reads++;
		res_guard_ranked(row, &row_lock) {
			writes++;
		}
		res_guard_failed(err) {
			sample_fail(&s, &row_lock, err);
		}
	}
	res_guard_failed(err) {
		sample_fail(&s, &table_lock, err);
	}
	return sample_end(&s);
}
