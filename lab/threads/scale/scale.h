/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* System calls that wait for spin locks of the kernel, in many threads at once. */
#ifndef LAB_SCALE_H
#define LAB_SCALE_H

#include <stdbool.h>

#define MAX_THREADS 512

/**
 * struct place - where one thread works
 * @folder: the folder of this thread, or of all threads
 * @path: path of its file
 * @fd: its file, open
 */
struct place {
	char folder[512];
	char path[544];
	int fd;
};

/**
 * struct test - a loop of system calls
 * @name: as in will-it-scale
 * @about: a line for the list of tests
 * @own_folder: each thread has a folder of its own
 * @one_file: all threads use the same file
 * @step: one round of the loop; returns the number of operations, or -1
 */
struct test {
	const char *name;
	const char *about;
	bool own_folder, one_file;
	int (*step)(const struct place *p);
};

/* Ends with a test without a name. */
extern const struct test tests[];

#endif /* LAB_SCALE_H */
