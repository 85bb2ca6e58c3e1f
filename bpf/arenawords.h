/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words of an arena, which arenawords.bpf.c reads for user space. */
#ifndef RQSPIN_ARENAWORDS_H
#define RQSPIN_ARENAWORDS_H

#define ARENA_WORDS 512 /* read at once */

/**
 * struct arena_word - a word that user space asks for
 * @off: bytes from the start of the arena
 * @size: its bytes, 1 to 4: the next page need not be there
 * @value: the word; 0 if @err
 * @err: 0, or a positive errno; EFAULT: no page of the arena is there
 */
struct arena_word {
	__u64 off;
	__u32 size;
	__u32 value;
	__u32 err;
	__u32 unused;
};

#endif
