/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Graphs drawn by graphviz, if it is installed. */
#ifndef RQSPIN_REPORT_GRAPHVIZ_H
#define RQSPIN_REPORT_GRAPHVIZ_H

#include <jansson.h>

/*
 * Each object of the list has the text of a graph in "dot" and gets an <svg> in "svg". Returns 0;
 * -ENOENT: dot is not installed; -errno or -EIO if dot fails: then the objects are as they were.
 */
int graphviz_draw(json_t *graphs);

#endif
