/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections of the HTTP server: how many there may be, and for how long. */
#ifndef RQSPIN_METRICS_CLIENTS_H
#define RQSPIN_METRICS_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define CLIENTS_MAX	    64
#define CLIENTS_PER_ADDRESS 16
#define CLIENTS_REQUEST_S   5  /* for a whole request, however often something arrives */
#define CLIENTS_ANSWER_S    60 /* until the answer is read */

/**
 * struct client - a connection
 * @fd: its socket, -1 if there is none
 * @address: of the client: an IPv4 address, or the network of an IPv6 address
 * @until: when it is cut off
 * @cut: it was cut off, and is about to be closed
 */
struct client {
	int fd;
	uint64_t address;
	double until;
	bool cut;
};

struct clients {
	struct client all[2 * CLIENTS_MAX]; /* with those that are about to be closed */
};

uint64_t clients_address(const struct sockaddr *addr);

void clients_init(struct clients *c);

/*
 * Adds a connection. To make room, the one whose time ends first is cut off, of the same address if
 * that has many. NULL: too many are about to be closed.
 */
struct client *clients_add(struct clients *c, int fd, uint64_t address, double now);
void clients_remove(struct client *client);

/* Cut off connections whose time is over. */
void clients_expire(struct clients *c, double now);

#endif
