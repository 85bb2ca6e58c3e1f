/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file whose readers see all of the old text or all of the new: the one way to write a file. */
#ifndef RQSPIN_BASE_WHOLE_FILE_H
#define RQSPIN_BASE_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* True if path is free or a regular file: no folder, link or device would be replaced. */
bool whole_file_plain(const char *path);

bool whole_file_link(const char *path);

/**
 * whole_file_replace() - write a file, or replace one
 * @path: its name; a link of that name is replaced, not followed
 * @text: what is to be in it
 * @len: bytes of @text
 *
 * The text is written under a temporary name that nobody else has. Mode, owner and access list of a
 * file that is replaced stay; a new file has the mode 0644, less the umask. Of several writers the
 * last one wins.
 *
 * Return: 0 or -errno; on an error the old file is unchanged, and no other file is left. -EPERM:
 * the owner cannot be kept.
 */
int whole_file_replace(const char *path, const char *text, size_t len);

/* The same in an open folder, whose path may change meanwhile. */
int whole_file_replace_at(int dir, const char *name, const char *text, size_t len);

/* Is it a temporary name, which a killed writer may have left? */
bool whole_file_is_temp(const char *name);

#endif
