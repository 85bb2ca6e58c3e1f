// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "output/metrics/clients.h"
#include "unit.h"

static struct clients clients;

static int clients_setup(void **state)
{
	(void)state;
	clients_init(&clients);
	return 0;
}

static size_t nr_open(uint64_t address)
{
	size_t nr = 0;

	for (size_t i = 0; i < sizeof(clients.all) / sizeof(clients.all[0]); i++)
		nr += clients.all[i].fd >= 0 && !clients.all[i].cut &&
		      clients.all[i].address == address;
	return nr;
}

static void the_oldest_of_an_address_leaves(void **state)
{
	struct client *first[2 * CLIENTS_PER_ADDRESS];

	(void)state;
	clients_add(&clients, 1 << 20, 7, 0);
	for (int i = 0; i < 2 * CLIENTS_PER_ADDRESS; i++)
		first[i] = clients_add(&clients, 1 << 20, 1, i);
	for (int i = 0; i < 2 * CLIENTS_PER_ADDRESS; i++)
		assert_int_equal(first[i]->cut, i < CLIENTS_PER_ADDRESS);
	assert_int_equal(nr_open(1), CLIENTS_PER_ADDRESS);
	assert_int_equal(nr_open(7), 1);
}

static void there_is_room_for_one_more(void **state)
{
	(void)state;
	for (int i = 0; i < CLIENTS_MAX; i++)
		assert_non_null(clients_add(&clients, 1 << 20, i, i));
	assert_int_equal(nr_open(0), 1);
	assert_non_null(clients_add(&clients, 1 << 20, 1000, 1000));
	assert_int_equal(nr_open(0), 0);
	assert_int_equal(nr_open(1), 1);
}

static void time_is_over_in_the_end(void **state)
{
	struct client *early, *late;

	(void)state;
	early = clients_add(&clients, 1 << 20, 1, 0);
	late = clients_add(&clients, 1 << 20, 1, 1);
	clients_expire(&clients, CLIENTS_REQUEST_S - 0.1);
	assert_false(early->cut || late->cut);
	clients_expire(&clients, CLIENTS_REQUEST_S);
	assert_true(early->cut && !late->cut);
	clients_remove(early);
	assert_ptr_equal(clients_add(&clients, 1 << 20, 1, 2), early);
	assert_false(early->cut);
}

static uint64_t address_of(const char *text)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };

	if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
		return clients_address((struct sockaddr *)&four);
	assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
	return clients_address((struct sockaddr *)&six);
}

static void addresses_are_told_apart(void **state)
{
	(void)state;
	assert_true(address_of("10.0.0.1") != address_of("10.0.0.2"));
	assert_true(address_of("::ffff:10.0.0.1") == address_of("10.0.0.1"));
	assert_true(address_of("2001:db8::1") == address_of("2001:db8::2"));
	assert_true(address_of("2001:db8::1") != address_of("2001:db8:0:1::1"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(the_oldest_of_an_address_leaves, clients_setup),
	cmocka_unit_test_setup(there_is_room_for_one_more, clients_setup),
	cmocka_unit_test_setup(time_is_over_in_the_end, clients_setup),
	cmocka_unit_test_setup(addresses_are_told_apart, clients_setup),
};

UNIT_GROUP(clients, tests)
