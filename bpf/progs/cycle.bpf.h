/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One party of a deadlock: take the first lock, wait until every party holds
 * its own first lock, then want the second one, which is another party's first.
 */
#ifndef CYCLE_BPF_H
#define CYCLE_BPF_H

#include "sample.bpf.h"

sample_meeting ready, holding;

/*
 * The body of a SEC() function; a macro, because events carry the name of the
 * function they are reported from. The parties meet before the first lock too:
 * nobody may start a round while another still waits in the last one.
 */
#define CYCLE_PARTY(first, second, parties)            \
	do {                                           \
		struct sample_scope s;                 \
		int err;                               \
                                                       \
		if (!sample_meet(&ready, parties))     \
			return SAMPLE_ALONE;           \
		sample_begin(&s);                      \
		err = res_spin_lock(first);            \
		if (err) {                             \
			sample_fail(&s, first, err);   \
			return sample_end(&s);         \
		}                                      \
		if (!sample_meet(&holding, parties)) { \
			res_spin_unlock(first);        \
			return SAMPLE_ALONE;           \
		}                                      \
		err = res_spin_lock(second);           \
		if (err)                               \
			sample_fail(&s, second, err);  \
		else                                   \
			res_spin_unlock(second);       \
		res_spin_unlock(first);                \
		return sample_end(&s);                 \
	} while (0)

#endif /* CYCLE_BPF_H */
