// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples.h"

#define LINES_MAX 3

/* In the order of the man page. Lines of at most 75 columns: help does not wrap them. */
static const struct example {
	const char *verb, *what, *lines[LINES_MAX];
} examples[] = {
	{ "list",
	  "Names of all samples, for a script",
	  { "rqspin list -j | jq -r '.samples[].name'" } },
	{ "run",
	  "See deadlocks live, in two terminals",
	  { "rqspin trace", "rqspin run abba --count 10" } },
	{ "run",
	  "Count failures of a sample exactly",
	  { "rqspin run aa --count 997 --json | jq .total.failures" } },
	{ "run",
	  "Run two programs of your own object against each other on CPUs 2 and 3",
	  { "rqspin run ./my.bpf.o --roles reader,writer --cpus 2,3 --duration 5" } },
	{ "trace",
	  "Exit with 10 if an acquisition fails within a minute, 4 if one may be lost",
	  { "rqspin trace --fail-on-event --strict --duration 60" } },
	{ "trace",
	  "Fail a test if any acquisition fails while COMMAND runs",
	  { "rqspin trace --fail-on-event --strict -- COMMAND" } },
	{ "trace",
	  "Keep the failures apart from what COMMAND prints, and make a page of them",
	  { "rqspin trace --json -o events.jsonl -- COMMAND",
	    "rqspin report events.jsonl -o report.html" } },
	{ "record",
	  "Keep the last failures in memory, and look when something has happened",
	  { "rqspin record", "rqspin trace --last=20" } },
	{ "held",
	  "See who holds what, with two CPUs: one for the owner, one for held",
	  { "rqspin run aa --cpus 1 --duration 10 &", "taskset -c 0 rqspin held -w20 -c20" } },
	{ "held",
	  "Show which locks of an arena are taken, and who waits",
	  { "rqspin held --arena my_arena", "rqspin held --arena my_arena --word tree_lock" } },
	{ "stat",
	  "Count failures of ten seconds by lock",
	  { "rqspin stat --by lock --duration 10" } },
	{ "stat",
	  "See where programs wait for locks, as a flame graph",
	  { "rqspin stat --waits --folded --duration 10 | flamegraph.pl >waits.svg" } },
	{ "top",
	  "Watch locks on a terminal, then print six tables of programs in a minute",
	  { "rqspin top", "rqspin top --batch --by prog -i 10 -n 6" } },
	{ "export",
	  "Serve the counts of failures to a Prometheus on this machine",
	  { "rqspin export --listen 127.0.0.1:9743" } },
	{ "report",
	  "Record failures for ten minutes with call traces, and make a page",
	  { "rqspin trace --json --stacks --duration 10m -o events.jsonl",
	    "rqspin report events.jsonl -o report.html" } },
	{ "report",
	  "See on a timeline what each CPU waited for: open OUT in ui.perfetto.dev",
	  { "rqspin report events.jsonl --perfetto OUT" } },
	{ "replay",
	  "Provoke the third failure of a file of events again, on a test machine",
	  { "rqspin replay events.jsonl --event 3 -o again",
	    "rqspin trace -- rqspin run again/replay.bpf.o" } },
	{ "doctor",
	  "List what this kernel lacks, with the effect and how to get it",
	  { "rqspin doctor -j | jq '.checks[] | select(.available == false)'" } },
	{ "errno",
	  "See why a hash map's update failed with -16, and what else a lock can do",
	  { "rqspin errno hash update -16", "rqspin errno hash update" } },
	{ "check",
	  "See whether the programs of two objects can deadlock, before they run",
	  { "rqspin check reader.bpf.o writer.bpf.o" } },
	{ "version", "What a report of a bug should have", { "rqspin version; uname -r" } },
};

#define NR_EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static void example_print(FILE *out, const struct example *e)
{
	fprintf(out, "\n  %s:\n", e->what);
	for (int i = 0; i < LINES_MAX && e->lines[i]; i++)
		fprintf(out, "    %s\n", e->lines[i]);
}

char *examples_text(const char *verb)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int nr = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < NR_EXAMPLES; i++) {
		if (strcmp(examples[i].verb, verb))
			continue;
		if (!nr++)
			fputs("Examples:", out);
		example_print(out, &examples[i]);
	}
	fclose(out);
	if (nr)
		return text;
	free(text);
	return NULL;
}

json_t *examples_json(const char *verb)
{
	json_t *list = json_array();

	for (size_t i = 0; i < NR_EXAMPLES; i++) {
		json_t *lines = json_array();

		for (int j = 0; j < LINES_MAX && examples[i].lines[j]; j++)
			json_array_append_new(lines, json_string(examples[i].lines[j]));
		if (strcmp(examples[i].verb, verb))
			json_decref(lines);
		else
			json_array_append_new(list, json_pack("{s:s, s:o}", "what",
							      examples[i].what, "lines", lines));
	}
	return list;
}
