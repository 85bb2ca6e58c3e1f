/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_ORDER_H
#define LAB_ORDER_H

/**
 * lab_order() - The order of a round: by lot, another one in each round
 * @order: receives each of 0 to @n - 1 once
 *
 * So neither a drift nor what the one in front leaves behind favours anybody. It depends on @round
 * only: threads agree without talking, and a run can be repeated.
 */
void lab_order(int *order, int n, unsigned int round);

#endif /* LAB_ORDER_H */
