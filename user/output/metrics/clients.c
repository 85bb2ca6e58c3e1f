// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>

#include "output/metrics/clients.h"

#define NR_ALL (sizeof(((struct clients *)0)->all) / sizeof(struct client))

/* A client with one IPv6 address may have all addresses of its network. */
uint64_t clients_address(const struct sockaddr *addr)
{
	const struct sockaddr_in6 *six = (const void *)addr;
	uint64_t address = 0;

	if (addr->sa_family == AF_INET)
		memcpy(&address, &((const struct sockaddr_in *)addr)->sin_addr, 4);
	else if (addr->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		memcpy(&address, six->sin6_addr.s6_addr + 12, 4);
	else if (addr->sa_family == AF_INET6)
		memcpy(&address, six->sin6_addr.s6_addr, sizeof(address));
	return address;
}

void clients_init(struct clients *c)
{
	for (size_t i = 0; i < NR_ALL; i++)
		c->all[i].fd = -1;
}

/* The server sees the end of the stream, and closes it. */
static void cut_off(struct client *client)
{
	shutdown(client->fd, SHUT_RDWR);
	client->cut = true;
}

/* Cuts off one connection of the address (NULL: of any) if it has @most of them. */
static void make_room(struct clients *c, const uint64_t *address, size_t most)
{
	struct client *oldest = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < NR_ALL; i++) {
		struct client *one = &c->all[i];

		if (one->fd < 0 || one->cut || (address && one->address != *address))
			continue;
		nr++;
		if (!oldest || one->until < oldest->until)
			oldest = one;
	}
	if (nr >= most)
		cut_off(oldest);
}

struct client *clients_add(struct clients *c, int fd, uint64_t address, double now)
{
	make_room(c, &address, CLIENTS_PER_ADDRESS);
	make_room(c, NULL, CLIENTS_MAX);
	for (size_t i = 0; i < NR_ALL; i++)
		if (c->all[i].fd < 0) {
			c->all[i] = (struct client){ .fd = fd,
						     .address = address,
						     .until = now + CLIENTS_REQUEST_S };
			return &c->all[i];
		}
	return NULL;
}

void clients_remove(struct client *client)
{
	if (client)
		client->fd = -1;
}

void clients_expire(struct clients *c, double now)
{
	for (size_t i = 0; i < NR_ALL; i++)
		if (c->all[i].fd >= 0 && !c->all[i].cut && now >= c->all[i].until)
			cut_off(&c->all[i]);
}
