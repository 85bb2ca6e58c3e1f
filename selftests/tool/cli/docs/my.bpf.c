// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Both in one object. */
#define PINNING LIBBPF_PIN_NONE
#include "reader.bpf.c"
#include "writer.bpf.c"
