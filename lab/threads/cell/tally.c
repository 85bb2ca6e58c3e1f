// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tally.h"

void tally_add(struct tally *sum, const struct tally *t)
{
	sum->ops += t->ops;
	sum->timeouts += t->timeouts;
	sum->deadlocks += t->deadlocks;
	sum->longest = max(sum->longest, t->longest);
	sum->took = max(sum->took, t->took);
	histogram_merge(&sum->waits, &t->waits);
	lab_runs_merge(&sum->runs, &t->runs);
}

static json_int_t length_quantile(const struct histogram *h, double part)
{
	return (json_int_t)histogram_quantile(h, part);
}

static json_int_t quantile_ns(const struct histogram *h, double part)
{
	return (json_int_t)cycles_to_ns(histogram_quantile(h, part));
}

json_t *waits_json(const struct histogram *waits, u32 each)
{
	if (!waits->count)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:i}", "p50", quantile_ns(waits, 0.5), "p99",
			 quantile_ns(waits, 0.99), "p999", quantile_ns(waits, 0.999), "samples",
			 (json_int_t)waits->count, "each", (int)each);
}

json_t *runs_json(const struct lab_runs *runs)
{
	json_int_t changes = (json_int_t)lab_owner_changes(runs);

	if (!runs->taken)
		return json_null();
	return json_pack("{s:I, s:f, s:I, s:I}", "changes", changes, "changes_each",
			 (double)changes / (double)runs->taken, "run_p50",
			 length_quantile(&runs->lengths, 0.5), "run_p99",
			 length_quantile(&runs->lengths, 0.99));
}
