/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_LINE_H
#define SIM_LINE_H

#include "core/machine.h"

/** line_init() - Set up a line that CPU @owner has. */
void line_init(struct sim_line *l, struct sim *s, int owner);
void line_free(struct sim_line *l);

/** line_request() - Access the line; sim_done() is called at the end. */
void line_request(struct sim_line *l, struct sim_req *r);

bool line_has(const struct sim_line *l, int cpu);
void line_watch(struct sim_line *l, int cpu);
void line_unwatch(struct sim_line *l, int cpu);

/** line_changed() - A write is visible: the CPUs that spin fetch the line again. */
void line_changed(struct sim_line *l);

#endif
