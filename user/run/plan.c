// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/fds.h"
#include "base/log.h"
#include "kernel/probe.h"
#include "run/input.h"
#include "run/plan.h"
#include "run/samples.h"
#include "run/what.h"

#define ROUNDS_DEFAULT 100
#define RUN_FDS	       24 /* what probes and the largest sample open */

/* The user says what to run, or the object does. */
static int choose_own(struct plan *p)
{
	const struct run_args *a = p->args;
	const char *path = a->path ? a->path : a->what;
	int err = what_check_object(path);

	p->own = true;
	if (err || a->nr_role_names)
		return err;
	err = described_read(&p->described, path);
	if (!err)
		p->sample = &p->described.sample;
	return err == -ENOENT ? what_only_role(path, &p->only_role) : err;
}

static int choose_sample(struct plan *p)
{
	const struct run_args *a = p->args;

	if (a->path || what_is_path(a->what))
		return choose_own(p);
	p->sample = sample_find(a->what);
	if (!p->sample)
		return what_unknown_sample(a->what);
	if (p->sample->by_hand) {
		pr_err("%s is run by hand, with bpftool: the comment at the top of %s.bpf.c says how "
		       "(in bpf/progs of the sources, or share/doc/rqspin/progs when installed)",
		       a->what, a->what);
		return -EOPNOTSUPP;
	}
	if (a->data_in.nr || a->ctx_in.nr) {
		pr_err("--data-in and --ctx-in are only for your own objects; sample %s has its own",
		       a->what);
		return -EINVAL;
	}
	if (a->nr_role_names) {
		pr_err("--roles is only for your own objects; the roles of sample %s are fixed",
		       a->what);
		return -EINVAL;
	}
	return 0;
}

static int check_needs(const struct plan *p)
{
	static const struct {
		const char *needs, *what;
		enum probe_id id;
	} needs[] = {
		{ "trampoline", "fentry and fexit", PROBE_TRAMPOLINE },
		{ "unlock_ooo", "release out of order", PROBE_UNLOCK_OOO },
	};

	for (size_t i = 0; p->sample && i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (strcmp(p->sample->needs, needs[i].needs) || probe_works(needs[i].id))
			continue;
		pr_err("%s needs %s: %s", p->sample->name, needs[i].what, probe_why(needs[i].id));
		return -EOPNOTSUPP;
	}
	return 0;
}

static int find_object(struct plan *p)
{
	const char *dir = getenv("RQSPIN_PROGS_DIR");

	if (p->own)
		p->path = strdup(p->args->path ? p->args->path : p->args->what);
	else
		p->path = sample_object(p->args->what);
	if (p->path)
		return 0;
	if (dir)
		pr_err("no %s.bpf.o in %s (from RQSPIN_PROGS_DIR)", p->args->what, dir);
	else
		pr_err("%s.bpf.o is neither beside this binary nor installed; 'make build' builds it",
		       p->args->what);
	return -ENOENT;
}

static int refuse_cpus(const struct plan *p, unsigned int need, int have)
{
	const char *name = p->args->what;

	if (p->args->nr_cpus) {
		pr_err("%s needs %u CPUs, one per role; --cpus names %d", name, need, have);
		return -EINVAL;
	}
	pr_err("%s needs %u CPUs, one per role, but only %d can be used here: use a machine or "
	       "guest with more CPUs (in the sources: make vm, 4 CPUs)",
	       name, need, have);
	return -EOPNOTSUPP;
}

static unsigned int count_roles(const struct plan *p)
{
	if (p->sample)
		return sample_nr_roles(p->sample);
	return p->only_role ? 1 : p->args->nr_role_names;
}

/* The number of threads. The only program of a sample runs on every CPU that was named. */
static int choose_threads(const struct plan *p, int have, unsigned int *nr)
{
	unsigned int named = p->args->nr_cpus;
	unsigned int roles = count_roles(p);
	unsigned int need = p->sample ? p->sample->min_cpus : roles;

	if (have < (int)need)
		return refuse_cpus(p, need, have);
	if (p->sample && p->sample->role_per_cpu)
		*nr = named ? named : (unsigned int)have;
	else if (roles == 1)
		*nr = named ? named : 1;
	else if (named > roles)
		return refuse_cpus(p, roles, have);
	else
		*nr = roles;
	return 0;
}

static const char *role_name(const struct plan *p, unsigned int i)
{
	if (p->only_role)
		return p->only_role;
	if (count_roles(p) == 1)
		i = 0;
	return p->sample ? p->sample->roles[i] : p->args->role_names[i];
}

static int check_cpus(const struct plan *p)
{
	for (int i = 0; i < p->args->nr_cpus; i++) {
		if (cpu_usable(p->args->cpus[i]))
			continue;
		pr_err("CPU %d is offline or absent, or this process may not use it",
		       p->args->cpus[i]);
		return -EINVAL;
	}
	return 0;
}

static int make_roles(struct plan *p)
{
	struct drive *d = &p->drive;
	int usable[OPT_CPUS_MAX];
	const int *cpus = p->args->nr_cpus ? p->args->cpus : usable;
	int have = p->args->nr_cpus ?: cpus_usable(usable);
	int err = choose_threads(p, have, &d->nr_roles);

	if (!err)
		err = check_cpus(p);
	if (err)
		return err;
	d->roles = calloc(d->nr_roles, sizeof(*d->roles));
	if (!d->roles) {
		pr_err("out of memory");
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < d->nr_roles; i++) {
		d->roles[i].prog = role_name(p, i);
		d->roles[i].cpu = cpus[i % have];
	}
	return 0;
}

/* Several programs, or one with several inputs, are parties of a round: they start together. */
static bool has_parties(const struct plan *p)
{
	const struct run_args *a = p->args;

	return count_roles(p) > 1 || (p->sample && p->sample->role_per_cpu) || a->data_in.nr > 1 ||
	       a->ctx_in.nr > 1;
}

static void set_limits(struct plan *p)
{
	struct drive *d = &p->drive;

	d->lockstep = has_parties(p);
	d->rate = p->args->rate;
	d->seconds = p->args->seconds;
	d->count = p->args->count;
	if (!d->count && d->seconds <= 0)
		d->count = p->sample ? p->sample->rounds : ROUNDS_DEFAULT;
}

int plan_make(struct plan *p, const struct run_args *args)
{
	int err;

	memset(p, 0, sizeof(*p));
	p->args = args;
	err = choose_sample(p);
	if (!err)
		err = make_roles(p);
	if (!err && !fds_left(RUN_FDS))
		err = -EMFILE;
	if (!err && !probe_allowed())
		err = -EOPNOTSUPP;
	if (!err)
		err = check_needs(p);
	if (!err)
		err = find_object(p);
	if (!err)
		err = input_read(&p->drive, &args->data_in, &args->ctx_in);
	if (!err)
		set_limits(p);
	return err;
}

void plan_free(struct plan *p)
{
	input_free(&p->drive);
	free(p->drive.roles);
	free(p->only_role);
	free(p->path);
}
