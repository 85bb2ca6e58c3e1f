/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef MANY_BPF_H
#define MANY_BPF_H

#include "maps.bpf.h"

#define TEN(x, t) x(t, 0) x(t, 1) x(t, 2) x(t, 3) x(t, 4) x(t, 5) x(t, 6) x(t, 7) x(t, 8) x(t, 9)

/* x(0, 0) x(0, 1) ... for each of the numbers named. */
#define TENS1(x, t)	 TEN(x, t)
#define TENS2(x, t, ...) TEN(x, t) TENS1(x, __VA_ARGS__)
#define TENS3(x, t, ...) TEN(x, t) TENS2(x, __VA_ARGS__)
#define TENS4(x, t, ...) TEN(x, t) TENS3(x, __VA_ARGS__)
#define TENS5(x, t, ...) TEN(x, t) TENS4(x, __VA_ARGS__)
#define TENS6(x, t, ...) TEN(x, t) TENS5(x, __VA_ARGS__)
#define TENS7(x, t, ...) TEN(x, t) TENS6(x, __VA_ARGS__)

#endif
