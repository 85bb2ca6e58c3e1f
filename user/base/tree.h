/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Removing a folder with everything in it. */
#ifndef RQSPIN_BASE_TREE_H
#define RQSPIN_BASE_TREE_H

/*
 * Removes the folder path, and folders in it down to that depth (0: it has none). Follows no links.
 * 0, also if path does not exist, or -errno: -ELOOP if it is deeper.
 */
int tree_remove(const char *path, int depth);

#endif
