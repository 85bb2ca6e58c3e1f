// error: include res_spin_fallback.bpf.h before res_guard.bpf.h
// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../ok/test.bpf.h"
#include <rqspin/res_guard.bpf.h>
#include <rqspin/res_spin_fallback.bpf.h>
