// SPDX-License-Identifier: GPL-2.0-only
/* The kernel's own stress module, unchanged but for the source of its NMIs and a second count. */
#include <linux/module.h>
#include "nmi.h"
#include "bpf_test_rqspinlock.c"
