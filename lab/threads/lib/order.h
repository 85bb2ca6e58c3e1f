/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LAB_ORDER_H
#define LAB_ORDER_H

/**
 * lab_order() - A pseudo-random order, another one in each round
 * @order: receives each of 0 to @n - 1 once
 *
 * So neither drift nor the state that the predecessor leaves behind favours any item. The order
 * depends on @round only: threads agree on it without communication, and a run can be repeated.
 */
void lab_order(int *order, int n, unsigned int round);

#endif /* LAB_ORDER_H */
