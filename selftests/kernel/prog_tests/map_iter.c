// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* May an iterator's program write to a map's values? Not if the kernel keeps data in them. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "kernel/runner/test.h"
#include "kernel/runner/bpf.h"
#include "kernel/runner/capability.h"
#include "selftests/kernel/progs/map_iter.skel.h"
#include "selftests/kernel/progs/map_iter_ext.skel.h"

/* NULL: the test has failed or is skipped. */
static struct map_iter_bpf *map_iter_load(void)
{
	struct map_iter_bpf *skel;

	if (!kernel_can("map_element_iterators")) {
		test_skip("this kernel refuses iterators over the elements of maps");
		return NULL;
	}
	skel = map_iter_bpf__open_and_load();
	CHECK(skel, "load: %s", strerror(errno));
	return skel;
}

/* A descriptor of the link, or the negative errno of the refusal. */
static int iter_attach(const struct bpf_program *prog, const struct bpf_map *map)
{
	union bpf_iter_link_info info = { .map.map_fd = bpf_map__fd(map) };
	LIBBPF_OPTS(bpf_link_create_opts, opts, .iter_info = &info, .iter_info_len = sizeof(info));

	return bpf_link_create(bpf_program__fd(prog), 0, BPF_TRACE_ITER, &opts);
}

static void check_attaches(const struct bpf_program *prog, const struct bpf_map *map)
{
	int fd = iter_attach(prog, map);

	CHECK(fd >= 0, "%s to %s: %s", bpf_program__name(prog), bpf_map__name(map), strerror(-fd));
	if (fd >= 0)
		close(fd);
}

/* False if the test has failed or is skipped. */
static bool check_refused(const struct bpf_program *prog, const struct bpf_map *map)
{
	int fd = iter_attach(prog, map);

	if (fd < 0)
		return CHECK_EQ(fd, -EACCES, bpf_map__name(map));
	close(fd);
	return !kernel_shares_hole("map-iterators") &&
	       CHECK(false, "%s may write to %s", bpf_program__name(prog), bpf_map__name(map));
}

static void test_writers_refused(void)
{
	struct map_iter_bpf *skel = map_iter_load();

	if (!skel)
		return;
	if (check_refused(skel->progs.writer, skel->maps.res_array) &&
	    check_refused(skel->progs.writer, skel->maps.res_hash) &&
	    check_refused(skel->progs.helper_writer, skel->maps.res_hash) &&
	    check_refused(skel->progs.text_writer, skel->maps.res_hash) &&
	    check_refused(skel->progs.path_writer, skel->maps.res_hash) &&
	    check_refused(skel->progs.type_writer, skel->maps.res_hash) &&
	    check_refused(skel->progs.atomic_writer, skel->maps.res_hash) &&
	    check_refused(skel->progs.writer, skel->maps.plain_hash) &&
	    check_refused(skel->progs.writer, skel->maps.pointer_hash))
		check_refused(skel->progs.storage_writer, skel->maps.lock_storage);
	map_iter_bpf__destroy(skel);
}

static void test_others_attach(void)
{
	struct map_iter_bpf *skel = map_iter_load();

	if (!skel)
		return;
	check_attaches(skel->progs.reader, skel->maps.res_array);
	check_attaches(skel->progs.reader, skel->maps.res_hash);
	check_attaches(skel->progs.reader, skel->maps.plain_hash);
	check_attaches(skel->progs.reader, skel->maps.pointer_hash);
	check_attaches(skel->progs.text_reader, skel->maps.res_hash);
	check_attaches(skel->progs.storage_reader, skel->maps.lock_storage);
	check_attaches(skel->progs.writer, skel->maps.data_hash);
	check_attaches(skel->progs.storage_writer, skel->maps.data_storage);
	/* programs see a copy of these values */
	check_attaches(skel->progs.writer, skel->maps.pointer_percpu);
	map_iter_bpf__destroy(skel);
}

/* The program of a link must not be replaced by one that may not attach to the map. */
static bool check_not_replaced(const struct bpf_program *by, const struct bpf_map *map,
			       const struct bpf_program *first)
{
	int fd = iter_attach(first, map), err;
	bool ok;

	if (!CHECK(fd >= 0, "attach: %s", strerror(-fd)))
		return false;
	err = bpf_link_update(fd, bpf_program__fd(by), NULL);
	close(fd);
	if (!err && kernel_shares_hole("map-iterators"))
		return false;
	ok = CHECK_EQ(err, -EACCES, bpf_program__name(by));
	return ok;
}

static void test_links_not_replaced(void)
{
	struct map_iter_bpf *skel = map_iter_load();

	if (!skel)
		return;
	if (check_not_replaced(skel->progs.writer, skel->maps.res_hash, skel->progs.reader) &&
	    check_not_replaced(skel->progs.far_reader, skel->maps.data_hash, skel->progs.reader))
		check_not_replaced(skel->progs.storage_writer, skel->maps.lock_storage,
				   skel->progs.storage_reader);
	map_iter_bpf__destroy(skel);
}

/* The kernel does not compare the accesses of an extension with the size of the map's values. */
static void test_extension_refused(void)
{
	const char *target = "bpf_iter_bpf_map_elem";
	struct map_iter_ext_bpf *ext = map_iter_ext_bpf__open();
	struct map_iter_bpf *skel = map_iter_load();
	int err;

	if (!skel || !CHECK(ext, "open: %s", strerror(errno)))
		goto out;
	err = bpf_program__set_attach_target(ext->progs.far_writer,
					     bpf_program__fd(skel->progs.extended), target);
	if (!CHECK(!err, "%s: %s", target, strerror(-err)))
		goto out;
	err = map_iter_ext_bpf__load(ext);
	if (err != -EINVAL && !kernel_shares_hole("map-iterators"))
		CHECK_EQ(err, -EINVAL, "load of the extension");
out:
	map_iter_ext_bpf__destroy(ext);
	map_iter_bpf__destroy(skel);
}

static const struct test_case cases[] = {
	{ .name = "writers_refused", .run = test_writers_refused },
	{ .name = "others_attach", .run = test_others_attach },
	{ .name = "links_not_replaced", .run = test_links_not_replaced },
	{ .name = "extension_refused", .run = test_extension_refused },
	{},
};

TEST_SUITE(map_iter, cases);
