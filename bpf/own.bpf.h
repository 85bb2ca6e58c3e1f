/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Marks an object as the tool's own, for other copies of the tool: its programs' failures are no
 * findings. The mark is this variable's name in the object's BTF. Programs whose names begin with
 * "rqspin_" are known by their name, should they be gone before their BTF is read.
 */
#ifndef RQSPIN_OWN_BPF_H
#define RQSPIN_OWN_BPF_H

const volatile char rqspin_own_object = 1;

#endif
