// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Jobs from JSON: what is taken over, and what the error says. */
#include <errno.h>
#include <string.h>

#include "run/job.h"
#include "tests/suites.h"

static int job_read_text(const char *text, struct job *j, char *error)
{
	json_t *o = json_loads(text, 0, NULL);
	int ret;

	assert_non_null(o);
	job_defaults(j);
	ret = job_read(j, o, error);
	json_decref(o);
	return ret;
}

static void members_are_taken_over(void **state)
{
	char error[JOB_ERROR];
	struct job j;

	(void)state;
	assert_int_equal(
		job_read_text(
			"{\"lock\": \"ticket\", \"threads\": 3, \"cs_ns\": 1.5, \"lines\": 0.5,"
			"\"topology\": {\"sockets\": 1, \"cores\": 4, \"smt\": 1,"
			"\"local_ns\": 44, \"random\": true}}",
			&j, error),
		0);
	assert_string_equal(j.ops->name, "ticket");
	assert_int_equal(j.threads, 3);
	assert_int_equal(j.cs, 1500);
	assert_true(j.lines > 0.49 && j.lines < 0.51);
	assert_int_equal(topo_cpus(&j.topo), 4);
	assert_int_equal(j.topo.local, 44 * SIM_NS);
	assert_true(j.topo.random);
}

static void bad_members_are_named(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "[]", "not a JSON object" },
		{ "{\"lock\": \"nosuch\"}", "lock: no such lock" },
		{ "{\"lock\": 1}", "lock: no such lock" },
		{ "{\"threads\": 0}", "threads: not a number from 1 to 512" },
		{ "{\"threads\": 193}", "threads: more than the machine has" },
		{ "{\"cs_ns\": -1}", "cs_ns: not a time" },
		{ "{\"cs_ns\": \"1\"}", "cs_ns: not a time" },
		{ "{\"lines\": 17}", "lines: not a number from 0 to 16" },
		{ "{\"embedded\": 1}", "embedded: not true or false" },
		{ "{\"colour\": 1}", "colour: unknown" },
		{ "{\"parties\": 2}", "parties: this lock never fails" },
		{ "{\"lock\": \"queue\", \"parties\": 3}", "parties: more than there are" },
		{ "{\"pcpus\": 0}", "pcpus: not a number" },
		{ "{\"topology\": {\"sockets\": 17}}", "'sockets' is unknown or has a bad value" },
		{ "{\"topology\": {\"cores\": 512}}", "2048 CPUs, at most 512" },
		{ "{\"topology\": {\"local_ns\": \"x\"}}", "'local_ns' is unknown or has a bad" },
		{ "{\"topology\": 7}", "a topology is a JSON object" },
	};
	char error[JOB_ERROR];
	struct job j;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(job_read_text(cases[i].text, &j, error), -EINVAL);
		if (!strstr(error, cases[i].error))
			fail_msg("%s: %s", cases[i].text, error);
	}
}

int test_jobs(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_taken_over),
		cmocka_unit_test(bad_members_are_named),
	};

	return cmocka_run_group_tests_name("sim-jobs", tests, NULL, NULL);
}
