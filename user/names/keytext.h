/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys of maps as text. */
#ifndef RQSPIN_NAMES_KEYTEXT_H
#define RQSPIN_NAMES_KEYTEXT_H

#include <linux/types.h>
#include <stddef.h>

#define KEYTEXT_WHOLE 64 /* bytes; longer keys are truncated */
#define KEYTEXT_CUT   32 /* longer keys are shown as so many bytes, "...#" and 16 digits */
#define KEYTEXT_SIZE  (2 * KEYTEXT_WHOLE + 1)

/**
 * struct keytext - a key that is added piece by piece
 * @size: bytes of the whole key
 * @got: bytes added so far
 * @hash: of the bytes added so far (64 bits of FNV-1a)
 * @first: the first bytes, which are shown
 */
struct keytext {
	__u32 size;
	__u32 got;
	__u64 hash;
	unsigned char first[KEYTEXT_WHOLE];
};

void keytext_begin(struct keytext *key, __u32 size);
void keytext_add(struct keytext *key, const void *bytes, __u32 nr);

/*
 * "7" (4 or 8 bytes: a number in this machine's byte order), "0a0b0c", or "0a0b...#" and the hash,
 * so that long keys with the same beginning differ.
 */
void keytext_print(const struct keytext *key, char text[KEYTEXT_SIZE]);

#endif
