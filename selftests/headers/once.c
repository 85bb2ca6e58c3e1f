// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <bpf/bpf.h>

#include "once.h"

int run_once(int prog_fd, __u32 repeat)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = repeat);

	if (bpf_prog_test_run_opts(prog_fd, &opts))
		return -1000 - errno;
	return (int)opts.retval;
}
