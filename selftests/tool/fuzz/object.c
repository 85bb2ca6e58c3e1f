// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An object file, up to the point where it would be loaded: opened by libbpf, its maps completed,
 * its sections and programs inspected. The kernel checks its input itself. libbpf crashes on some
 * damaged objects, so rqspin check first opens each one in a process of its own; so does this
 * fuzzer.
 */
#include <bpf/libbpf.h>

#include "base/rehearse.h"
#include "check/sizes.h"
#include "fuzz.h"

struct bytes {
	const uint8_t *data;
	size_t size;
};

static int libbpf_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	libbpf_set_print(libbpf_quiet);
	return 0;
}

static struct bpf_object *open_bytes(const struct bytes *b)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "fuzz");

	return bpf_object__open_mem(b->data, b->size, &opts);
}

static void try_it(void *bytes)
{
	bpf_object__close(open_bytes(bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = { data, size };
	struct bpf_program *prog;
	struct bpf_object *obj;
	struct bpf_map *map;

	if (rehearse_in_child(try_it, &bytes))
		return 0;
	obj = open_bytes(&bytes);
	if (!obj)
		return 0;
	bpf_object__for_each_map(map, obj) sizes_complete(map);
	bpf_object__for_each_program(prog, obj) bpf_program__set_autoload(prog, true);
	bpf_object__close(obj);
	return 0;
}
