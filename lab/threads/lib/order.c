// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdint.h>

#include "order.h"

/* Steele, Lea and Flood's splitmix64. */
static uint64_t order_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void lab_order(int *order, int n, unsigned int round)
{
	uint64_t state = round;
	int i, k;

	for (i = 0; i < n; i++) {
		k = order_random(&state) % (i + 1);
		order[i] = order[k];
		order[k] = i;
	}
}
