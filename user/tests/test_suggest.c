// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/kconfig.h"
#include "kernel/lockcalls.h"
#include "base/suggest.h"
#include "unit.h"

static const char *suggest_for(const char *typed)
{
	static const char *const names[] = { "list", "run", "trace", "held", "stat", "doctor" };
	struct suggest s = { .typed = typed };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		suggest_try(&s, names[i]);
	return s.best;
}

static void slips_of_the_finger_are_understood(void **state)
{
	(void)state;
	assert_string_equal(suggest_for("trcae"), "trace");
	assert_string_equal(suggest_for("docter"), "doctor");
	assert_string_equal(suggest_for("hedl"), "held");
	assert_string_equal(suggest_for("rnu"), "run");
	assert_string_equal(suggest_for("traces"), "trace");
}

static void other_words_are_not(void **state)
{
	(void)state;
	assert_null(suggest_for("install"));
	assert_null(suggest_for("record"));
	assert_null(suggest_for("x"));
	assert_null(suggest_for(""));
	assert_null(suggest_for("tttttttttttttttttttttttttttttttttttttttttttttttttttttt"));
}

static void options_count_when_built_in(void **state)
{
	static const char *const both[] = { "CONFIG_A", "CONFIG_B" };
	static const char *const module[] = { "CONFIG_M" };
	static const char *const longer[] = { "CONFIG_AB" };
	char path[] = "/tmp/rqspin_kconfig_XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_true(dprintf(fd, "CONFIG_A=y\n# CONFIG_AB is not set\nCONFIG_M=m\nCONFIG_B=y\n") >
		    0);
	close(fd);
	assert_true(kconfig_file_has(path, both, 2));
	assert_false(kconfig_file_has(path, module, 1));
	assert_false(kconfig_file_has(path, longer, 1));
	unlink(path);
	assert_false(kconfig_file_has(path, both, 2));
}

static void calls_of_kernel_functions_are_read(void **state)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = 5 }, /* a helper */
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 6 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = 7 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = 7 },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = -8 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	__s32 calls[2];

	(void)state;
	assert_int_equal(lockcalls_read(insns, 6, calls, 2), 2);
	assert_int_equal(calls[0], 7);
	assert_int_equal(calls[1], -8);
	assert_int_equal(lockcalls_read(insns, 2, calls, 2), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(slips_of_the_finger_are_understood),
	cmocka_unit_test(other_words_are_not),
	cmocka_unit_test(options_count_when_built_in),
	cmocka_unit_test(calls_of_kernel_functions_are_read),
};

UNIT_GROUP(suggest, tests)
