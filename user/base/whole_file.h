/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file whose readers see all of the old text or all of the new. */
#ifndef RQSPIN_BASE_WHOLE_FILE_H
#define RQSPIN_BASE_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing, or a file: not a folder, and no device that would be replaced. */
bool whole_file_plain(const char *path);

/* 0 or -errno; then the file is as it was before, and there is no other. */
int whole_file_replace(const char *path, const char *text, size_t len);

#endif
