// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The shim's side of the locks in C. */
#include <stdlib.h>

#include "../locks/cna.h"
#include "../locks/locks.h"
#include "machines/c/glue.h"

static_assert(sizeof(union lab_lock) == C_LOCK_SIZE);

bool shim_hybrid;

static struct c_area areas;
static char *as_new;

/* Once: the initcalls write what the data of all CPUs begins with. */
static void areas_begin(void)
{
	size_t size;

	shim_init(NR_CPUS);
	areas.start = shim_area(&size);
	areas.stride = size / NR_CPUS;
	as_new = malloc(size);
	if (!as_new)
		abort();
	memcpy(as_new, areas.start, size);
}

void c_glue_reset(int cpus, struct c_area *area)
{
	if (!as_new)
		areas_begin();
	memcpy(areas.start, as_new, cpus * areas.stride);
	shim_nr_cpus = cpus;
	*area = areas;
}

void c_glue_places(const int *socket)
{
	cna_places = socket;
}

void c_glue_init(const struct lab_ops *ops, void *lock)
{
	ops->init(lock);
}

int c_glue_lock(const struct lab_ops *ops, void *lock)
{
	return ops->lock(lock, NULL);
}

void c_glue_unlock(const struct lab_ops *ops, void *lock)
{
	ops->unlock(lock, NULL);
}
