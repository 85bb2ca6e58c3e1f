// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "unit.h"

#define ROUNDS	200
#define WRITERS 3

static char home[4096], folder[] = "/tmp/rqspin-unit-XXXXXX";

static int folder_enter(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	return !getcwd(home, sizeof(home)) || !mkdtemp(folder) || chdir(folder);
}

static size_t nr_files(void)
{
	DIR *list = opendir(".");
	struct dirent *file;
	size_t nr = 0;

	while ((file = readdir(list)))
		nr += strcmp(file->d_name, ".") && strcmp(file->d_name, "..");
	closedir(list);
	return nr;
}

static int folder_leave(void **state)
{
	static const char *const names[] = { "m.prom", "m.prom.tmp", "other" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (remove(names[i]) && errno != ENOENT)
			return -1;
	return chdir(home) || rmdir(folder);
}

static void has_text(const char *path, const char *want)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	assert_string_equal(text, want);
	fclose(f);
}

static void plain_is_a_file_or_nothing(void **state)
{
	(void)state;
	assert_int_equal(symlink("other", "m.prom"), 0);
	assert_true(whole_file_plain("other"));
	assert_false(whole_file_plain("."));
	assert_false(whole_file_plain("/dev/null"));
	assert_false(whole_file_plain("m.prom"));
}

static void a_neighbour_is_not_touched(void **state)
{
	(void)state;
	assert_int_equal(whole_file_replace("m.prom.tmp", "precious", 8), 0);
	assert_int_equal(whole_file_replace("m.prom", "one", 3), 0);
	assert_int_equal(whole_file_replace("m.prom", "two", 3), 0);
	has_text("m.prom.tmp", "precious");
	has_text("m.prom", "two");
	assert_int_equal(nr_files(), 2);
}

static void a_link_is_not_followed(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(whole_file_replace("other", "precious", 8), 0);
	assert_int_equal(symlink("other", "m.prom"), 0);
	assert_int_equal(whole_file_replace("m.prom", "one", 3), 0);
	has_text("other", "precious");
	assert_true(!lstat("m.prom", &st) && S_ISREG(st.st_mode));
}

static void mode_and_owner_stay(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(whole_file_replace("m.prom", "one", 3), 0);
	assert_int_equal(chmod("m.prom", 0600), 0);
	if (!geteuid())
		assert_int_equal(chown("m.prom", 65534, 65534), 0);
	assert_int_equal(whole_file_replace("m.prom", "two", 3), 0);
	assert_int_equal(stat("m.prom", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_uid, geteuid() ? geteuid() : 65534);
	has_text("m.prom", "two");
}

static void what_cannot_be_written_stays(void **state)
{
	(void)state;
	assert_int_equal(mkdir("other", 0700), 0);
	assert_int_equal(whole_file_replace("other", "one", 3), -EISDIR);
	assert_int_equal(whole_file_replace("other/no/file", "one", 3), -ENOENT);
	assert_int_equal(nr_files(), 1);
}

static int write_often(char letter)
{
	char text[32];
	int err = 0;

	memset(text, letter, sizeof(text));
	for (int i = 0; !err && i < ROUNDS; i++)
		err = whole_file_replace("m.prom", text, sizeof(text));
	return err;
}

static void writers_do_not_meet(void **state)
{
	int status;

	(void)state;
	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			_exit(write_often('a' + i) ? 1 : 0);
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(nr_files(), 1);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, folder_enter, folder_leave)

static const struct CMUnitTest tests[] = {
	in_folder(plain_is_a_file_or_nothing),	 in_folder(a_neighbour_is_not_touched),
	in_folder(a_link_is_not_followed),	 in_folder(mode_and_owner_stay),
	in_folder(what_cannot_be_written_stays), in_folder(writers_do_not_meet),
};

UNIT_GROUP(whole_file, tests)
