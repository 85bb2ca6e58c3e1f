// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/recorder/place.h"
#include "unit.h"

static struct place other; /* of another command */
static int removals;	   /* how often it removes the root before we have it */

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

/* Between open() and flock() the other one is done. */
int __wrap_flock(int fd, int operation)
{
	if (removals) {
		removals--;
		assert_int_equal(rmdir(other.root), 0);
		assert_int_equal(mkdir(other.root, 0700), 0);
	}
	return __real_flock(fd, operation);
}

static int make_folder(void **state)
{
	static char folder[64];

	strcpy(folder, "/tmp/rqspin-place-XXXXXX");
	*state = mkdtemp(folder);
	return !*state;
}

static int remove_folder(void **state)
{
	removals = 0;
	return rmdir(*state);
}

static struct place place_in(const char *folder)
{
	struct place p = { .lock = -1 };

	snprintf(p.root, sizeof(p.root), "%s/rqspin", folder);
	return p;
}

static void one_command_at_a_time(void **state)
{
	struct place p = place_in(*state), q = place_in(*state);

	assert_int_equal(place_lock(&p), 0);
	assert_int_equal(place_lock(&q), -EBUSY);
	assert_int_equal(q.lock, -1);
	place_unlock(&p);
	assert_int_equal(place_lock(&q), 0);
	place_unlock(&q);
}

static void the_lock_of_a_removed_root_is_none(void **state)
{
	struct place p = place_in(*state), q = place_in(*state);

	other = p;
	removals = 1;
	assert_int_equal(place_lock(&p), 0);
	assert_int_equal(removals, 0);
	assert_int_equal(place_lock(&q), -EBUSY);
	place_unlock(&p);
}

static void a_root_that_is_always_removed_is_busy(void **state)
{
	struct place p = place_in(*state);

	other = p;
	removals = 100;
	assert_int_equal(place_lock(&p), -EBUSY);
	assert_int_equal(p.lock, -1);
	assert_int_equal(rmdir(p.root), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

static const struct CMUnitTest tests[] = {
	IN_FOLDER(one_command_at_a_time),
	IN_FOLDER(the_lock_of_a_removed_root_is_none),
	IN_FOLDER(a_root_that_is_always_removed_is_busy),
};

UNIT_GROUP(place, tests)
