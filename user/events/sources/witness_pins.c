// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/tree.h"
#include "events/sources/witness_pins.h"

#define LINK "link_"

const struct bpf_prog_skeleton *witness_skeleton_prog(const struct bpf_object_skeleton *skel,
						      int nth)
{
	return (const void *)((const char *)skel->progs + (size_t)nth * skel->prog_skel_sz);
}

static int path_join(char path[WITNESS_PINS_PATH], const char *folder, const char *prefix,
		     const char *name)
{
	int n = snprintf(path, WITNESS_PINS_PATH, "%s/%s%s", folder, prefix, name);

	return n < WITNESS_PINS_PATH ? 0 : -ENAMETOOLONG;
}

static int pin_links(const char *folder, const struct bpf_object_skeleton *skel)
{
	char path[WITNESS_PINS_PATH];
	int err = 0;

	for (int i = 0; !err && i < skel->prog_cnt; i++) {
		const struct bpf_prog_skeleton *p = witness_skeleton_prog(skel, i);

		if (!*p->link)
			continue;
		err = path_join(path, folder, LINK, p->name) ?: bpf_link__pin(*p->link, path);
	}
	return err;
}

static int pin_maps(const char *folder, const int fds[WITNESS_NR_MAPS])
{
	char path[WITNESS_PINS_PATH];
	int err = 0;

	for (int i = 0; !err && i < WITNESS_NR_MAPS; i++) {
		err = path_join(path, folder, "", witness_map_name(i));
		if (!err && bpf_obj_pin(fds[i], path))
			err = -errno;
	}
	return err;
}

int witness_pins_make(const char *folder, const struct bpf_object_skeleton *skel,
		      const int fds[WITNESS_NR_MAPS])
{
	int err;

	if (mkdir(folder, 0700))
		return -errno;
	err = pin_maps(folder, fds) ?: pin_links(folder, skel);
	/* Other sources may go on. An incomplete folder must not be taken for a complete one. */
	if (err)
		tree_remove(folder, 0);
	return err;
}

int witness_pins_open(const char *folder, int fds[WITNESS_NR_MAPS])
{
	char path[WITNESS_PINS_PATH];
	int err = 0, i;

	for (i = 0; !err && i < WITNESS_NR_MAPS; i++) {
		err = path_join(path, folder, "", witness_map_name(i));
		fds[i] = err ? -1 : bpf_obj_get(path);
		if (!err && fds[i] < 0)
			err = -errno;
	}
	while (err && i--)
		if (fds[i] >= 0)
			close(fds[i]);
	return err;
}

int witness_pins_progs(const char *folder, witness_prog_fn fn, void *ctx)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, LINK, strlen(LINK)))
			fn(entry->d_name + strlen(LINK), ctx);
	closedir(dir);
	return 0;
}

static int prog_of_link(const char *path)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_obj_get(path), err;

	if (fd < 0)
		return fd;
	err = bpf_link_get_info_by_fd(fd, &info, &len);
	close(fd);
	return err ? -1 : bpf_prog_get_fd_by_id(info.prog_id);
}

int witness_pins_prog(const char *folder, const char *prog)
{
	char path[WITNESS_PINS_PATH];

	return path_join(path, folder, LINK, prog) ?: prog_of_link(path);
}

__u64 witness_prog_missed(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	return bpf_prog_get_info_by_fd(prog_fd, &info, &len) ? 0 : info.recursion_misses;
}

__u64 witness_pins_missed(const char *folder, const char *prog)
{
	int fd = witness_pins_prog(folder, prog);
	__u64 missed;

	missed = fd < 0 ? 0 : witness_prog_missed(fd);
	if (fd >= 0)
		close(fd);
	return missed;
}
