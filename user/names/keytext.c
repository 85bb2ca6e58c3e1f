// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "names/keytext.h"

#define FNV_START 0xcbf29ce484222325ULL
#define FNV_PRIME 0x100000001b3ULL

void keytext_begin(struct keytext *key, __u32 size)
{
	*key = (struct keytext){ .size = size, .hash = FNV_START };
}

void keytext_add(struct keytext *key, const void *bytes, __u32 nr)
{
	const unsigned char *at = bytes;

	for (__u32 i = 0; i < nr; i++, key->got++) {
		if (key->got < KEYTEXT_WHOLE)
			key->first[key->got] = at[i];
		key->hash = (key->hash ^ at[i]) * FNV_PRIME;
	}
}

void keytext_print(const struct keytext *key, char text[KEYTEXT_SIZE])
{
	__u32 shown = key->size > KEYTEXT_WHOLE ? KEYTEXT_CUT : key->size;
	__u64 num = 0;

	*text = 0;
	if (key->size == 4 || key->size == 8) {
		memcpy(&num, key->first, key->size);
		snprintf(text, KEYTEXT_SIZE, "%llu", (unsigned long long)num);
		return;
	}
	for (__u32 i = 0; i < shown; i++)
		snprintf(text + 2 * i, 3, "%02x", key->first[i]);
	if (shown < key->size)
		snprintf(text + 2 * shown, KEYTEXT_SIZE - 2 * shown, "...#%016llx",
			 (unsigned long long)key->hash);
}
