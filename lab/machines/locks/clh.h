/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SIM_CLH_H
#define SIM_CLH_H

#include "locks/watch.h"

#define CLH_NODES   4
#define QUEUE_LIMIT (500 * SIM_MS)

/*
 * States of a node. FREE: not in use; WAIT: its user waits; ASLEEP: its user waits and the waiter
 * behind halts; PASSED: its user is gone, and the waiter behind is head.
 */
enum clh_state { CLH_FREE, CLH_WAIT, CLH_ASLEEP, CLH_PASSED };

/**
 * struct clh_cpu - nodes of our queue: a CPU uses another one while a waiter still reads the last
 * @halted: its user halts, or is about to
 * @behind: number + 1 of the node behind, if the user of that node halts
 */
struct clh_cpu {
	struct clh_node {
		struct sim_line line;
		struct sim_var state, halted, behind;
	} node[CLH_NODES];
};

void clh_init(struct sim_lock *l);
void clh_done(struct sim_lock *l);

/** clh_node() - The node with a number: CPU * CLH_NODES + index. */
struct clh_node *clh_node(struct sim_lock *l, int number);

enum { CLH_HEAD = -1, CLH_LOCKED = -2 };

/**
 * clh_join() - Join the queue.
 * @mine: receives the number of the node
 *
 * Return: number of the node in front; CLH_HEAD: there is none; CLH_LOCKED: the caller has the
 * lock.
 */
int clh_join(struct sim_cpu *c, struct sim_lock *l, int *mine);

/** clh_pass() - Make the waiter behind head. Return: the former state of the caller's node. */
enum clh_state clh_pass(struct sim_cpu *c, struct sim_lock *l, int mine);

/**
 * clh_take_alone() - Take a free lock, if no waiter is behind us.
 * @val: word of the lock
 *
 * Return: false if a waiter is behind.
 */
bool clh_take_alone(struct sim_cpu *c, struct sim_lock *l, int mine, uint64_t val);

#endif
