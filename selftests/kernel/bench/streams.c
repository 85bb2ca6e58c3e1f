// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kernel/progstream.h"
#include "streams.h"

void stream_drain(int prog_fd)
{
	char text[4096];

	while (progstream_read(prog_fd, PROGSTREAM_STDERR, text, sizeof(text)) > 0)
		;
}
