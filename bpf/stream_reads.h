/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who else reads error streams: stream_reads.bpf.c writes it down, user space reads it. */
#ifndef RQSPIN_STREAM_READS_H
#define RQSPIN_STREAM_READS_H

#define STREAM_READS 64 /* the latest; power of two */

/**
 * struct stream_read - a call of another process that reads a program's error stream
 * @prog_id: whose stream
 * @name: of that program, as the kernel has it
 */
struct stream_read {
	__u32 prog_id;
	char name[16];
};

#endif
