/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Result of a test: memory shared by the child that runs it and the runner. */
#ifndef RQSPIN_RUNNER_OUTCOME_H
#define RQSPIN_RUNNER_OUTCOME_H

enum verdict { VERDICT_DIED, VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP };

struct outcome {
	enum verdict verdict; /* stays VERDICT_DIED unless the child comes to its end */
	int checks;
	int failures;
	char skip[256];
};

extern struct outcome *outcome;

int outcome_map(void);
void outcome_reset(void);
void outcome_close(void); /* child: turn the counts into a verdict */

/* Has the effect of one more -v; see test_verbosity(). */
void test_more_verbose(void);

#endif
