// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The error stream of a program, which mixes the kernel's reports with the program's own output. It
 * may contain any bytes and arrives in pieces; any division into pieces must give the same reports.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "events/sources/report_parse.h"
#include "events/failure.h"

struct sum {
	unsigned int found, parsed;
	__u64 locks;
};

static void parse_all(const char **text, int partial, struct sum *sum)
{
	const char *at, *end;

	while ((at = report_find(*text, partial, &end))) {
		struct failure f = { 0 };

		MUST(at >= *text && end > at);
		sum->found++;
		if (!report_parse(at, end - at, &f)) {
			sum->parsed++;
			sum->locks ^= f.ev.lock;
		}
		free(f.report);
		*text = end;
	}
}

static void read_in_pieces(const uint8_t *data, size_t size, size_t piece, struct sum *sum)
{
	char *text = NULL;
	size_t len = 0, n;

	for (; size; data += n, size -= n) {
		const char *rest;

		n = size < piece ? size : piece;
		if (report_append(&text, &len, (const char *)data, n))
			break;
		rest = text;
		parse_all(&rest, 0, sum);
		rest = report_rest(rest);
		MUST(rest >= text && rest <= text + len);
		len -= rest - text;
		memmove(text, rest, len + 1);
	}
	if (text) {
		const char *rest = text;

		parse_all(&rest, 1, sum);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sum whole = { 0 }, pieces = { 0 };
	size_t piece = size ? 1 + data[0] % 64 : 1;
	char line[256];
	__u64 dropped;

	read_in_pieces(data, size, size, &whole);
	read_in_pieces(data, size, piece, &pieces);
	MUST(whole.found == pieces.found && whole.locks == pieces.locks);
	memcpy(line, data, size < 255 ? size : 255);
	line[size < 255 ? size : 255] = 0;
	report_parse_dropped(line, &dropped);
	return 0;
}
