// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/stop.h"
#include "run/driver.h"

#define PROGRESS_MS   200
#define BATCH_MAX     65536
#define BATCH_SECONDS 0.02 /* long enough to hide the system call, short enough to stop */
#define ALONE_MAX     1000 /* rounds in which the roles missed each other, in a row */
#define PACKET_SIZE   64

static struct timespec to_timespec(double seconds)
{
	struct timespec ts = { .tv_sec = seconds };

	ts.tv_nsec = (seconds - ts.tv_sec) * 1e9;
	return ts;
}

static void stop_all(struct drive *d)
{
	pthread_mutex_lock(&d->lock);
	atomic_store(&d->stop, true);
	pthread_cond_broadcast(&d->cond);
	pthread_mutex_unlock(&d->lock);
}

/* One role cannot go on: the others must not wait for it. */
static void abort_all(struct drive *d)
{
	pthread_mutex_lock(&d->lock);
	atomic_store(&d->stop, true);
	d->aborted = true;
	d->go = false;
	d->generation++;
	pthread_cond_broadcast(&d->cond);
	pthread_mutex_unlock(&d->lock);
}

static bool drive_is_over(const struct drive *d, uint64_t rounds)
{
	return atomic_load(&d->stop) || (d->count && rounds >= d->count) ||
	       (d->seconds > 0 && now_s() - d->start >= d->seconds);
}

/* Sleeps until round number @n is due; a stop ends the sleep. */
static void round_pace(struct drive *d, uint64_t n)
{
	struct timespec due = to_timespec(d->start + n / d->rate + clock_ahead_s());

	pthread_mutex_lock(&d->lock);
	while (!atomic_load(&d->stop) &&
	       pthread_cond_timedwait(&d->cond, &d->lock, &due) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&d->lock);
}

static void end_round(struct drive *d)
{
	if (d->met) {
		d->rounds++;
		d->alone_in_a_row = 0;
	} else {
		d->alone_in_a_row++;
	}
}

/* The last role to arrive decides for all, so that no role runs a round alone. */
static bool next_round(struct role *r)
{
	struct drive *d = r->drive;
	uint64_t generation;
	bool go;

	pthread_mutex_lock(&d->lock);
	generation = d->generation;
	if (++d->waiting == d->nr_roles && !d->aborted) {
		if (generation)
			end_round(d);
		d->go = !drive_is_over(d, d->rounds) && d->alone_in_a_row <= ALONE_MAX;
		d->met = true;
		d->waiting = 0;
		d->generation++;
		pthread_cond_broadcast(&d->cond);
	}
	while (d->generation == generation && !d->aborted)
		pthread_cond_wait(&d->cond, &d->lock);
	go = d->go;
	pthread_mutex_unlock(&d->lock);
	return go;
}

static void count_return(struct role *r, int ret, uint32_t ns)
{
	uint64_t *slot = ret == 0	   ? &r->ret.ok :
			 ret == -EDEADLK   ? &r->ret.edeadlk :
			 ret == -ETIMEDOUT ? &r->ret.etimedout :
					     &r->ret.other;

	++*slot;
	r->ret_runs++;
	if (ns)
		hist_add(ret ? &r->ret_fail : &r->ret_ok, ns);
}

static void note_returned(struct role *r, int ret)
{
	unsigned int i = 0;

	while (i < r->nr_returned && r->returned[i].value != ret)
		i++;
	if (i == RETURNED_MAX) {
		r->returned_others++;
		return;
	}
	if (i == r->nr_returned)
		r->returned[r->nr_returned++].value = ret;
	r->returned[i].times++;
}

static bool is_alone(const struct role *r, int ret)
{
	return ret == SAMPLE_ALONE && !r->verdict;
}

static void set_input(const struct role *r, struct bpf_test_run_opts *opts)
{
	const struct run_input *in = r->drive->inputs ? &r->drive->inputs[r->index] : NULL;

	if (!in)
		return;
	if (in->data_size && r->batch) {
		opts->data_in = in->data;
		opts->data_size_in = in->data_size;
	}
	if (in->ctx_size) {
		opts->ctx_in = in->ctx;
		opts->ctx_size_in = in->ctx_size;
	}
}

static int run_prog(struct role *r, uint32_t repeat, int *ret)
{
	struct sample_role_args args = { .role = r->index, .roles = r->drive->nr_roles };
	char packet[PACKET_SIZE] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	if (r->batch) {
		opts.data_in = packet;
		opts.data_size_in = sizeof(packet);
		opts.repeat = repeat;
	} else if (r->ctx) {
		opts.ctx_in = &args;
		opts.ctx_size_in = sizeof(args);
	}
	set_input(r, &opts);
	err = bpf_prog_test_run_opts(r->prog_fd, &opts);
	if (err)
		return err;
	*ret = opts.retval;
	note_returned(r, *ret);
	if (!is_alone(r, *ret))
		count_return(r, *ret, opts.duration);
	return 0;
}

/*
 * A stop, or a debugger that attaches, ends a batch early; after how many runs is then unknown. A
 * single run is never cut short, so that there is progress whatever arrives.
 */
static void cut_short(struct role *r, uint32_t *batch)
{
	r->cut++;
	r->cut_runs += *batch - 1;
	*batch = 1;
}

static int drive_batches(struct role *r)
{
	struct drive *d = r->drive;
	uint32_t batch = 1;
	int err, ret;

	while (!drive_is_over(d, r->rounds)) {
		double before = now_s();

		if (d->rate > 0)
			round_pace(d, r->rounds);
		else if (d->count && batch > d->count - r->rounds)
			batch = d->count - r->rounds;
		err = run_prog(r, batch, &ret);
		if (err == -EINTR && batch > 1) {
			cut_short(r, &batch);
			continue;
		}
		if (err)
			return err;
		r->rounds += batch;
		if (r->batch && !d->single && d->rate <= 0 && batch < BATCH_MAX &&
		    now_s() - before < BATCH_SECONDS)
			batch *= 2;
	}
	return 0;
}

static int drive_lockstep(struct role *r)
{
	struct drive *d = r->drive;
	int err, ret;

	for (uint64_t turn = 0;; turn++) {
		if (d->rate > 0)
			round_pace(d, turn);
		if (!next_round(r))
			return d->alone_in_a_row > ALONE_MAX ? -ETIME : 0;
		err = run_prog(r, 1, &ret);
		if (err)
			return err;
		if (is_alone(r, ret)) {
			r->alone++;
			pthread_mutex_lock(&d->lock);
			d->met = false;
			pthread_mutex_unlock(&d->lock);
		} else {
			r->rounds++;
		}
	}
}

static int thread_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/*
 * Roles meet while they keep their CPUs busy: on a loaded machine a role that has to wait for its
 * CPU would come too late. Without the right to a real-time priority they meet less often, nothing
 * else.
 */
static void thread_hurry(void)
{
	const struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_RR) };

	pthread_setschedparam(pthread_self(), SCHED_RR, &lowest);
}

static void *role_thread(void *data)
{
	struct role *r = data;
	struct drive *d = r->drive;
	uint64_t one = 1;

	r->err = -thread_pin(r->cpu);
	if (d->lockstep)
		thread_hurry();
	if (!r->err)
		r->err = d->lockstep ? drive_lockstep(r) : drive_batches(r);
	if (r->err)
		abort_all(d);
	pthread_mutex_lock(&d->lock);
	if (!--d->running && write(d->done_fd, &one, sizeof(one)) < 0)
		r->err = -errno;
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static bool wait_turn(struct drive *d, int signal_fd)
{
	struct pollfd fds[] = { { .fd = d->done_fd, .events = POLLIN },
				{ .fd = signal_fd, .events = POLLIN } };
	struct signalfd_siginfo info;

	poll(fds, 2, PROGRESS_MS);
	if ((fds[1].revents & POLLIN) && read(signal_fd, &info, sizeof(info)) == sizeof(info)) {
		d->signal = info.ssi_signo;
		stop_all(d);
	}
	return !(fds[0].revents & POLLIN);
}

static int start_roles(struct drive *d)
{
	int err = 0;

	d->start = now_s();
	d->running = d->nr_roles;
	while (d->nr_started < d->nr_roles && !err) {
		struct role *r = &d->roles[d->nr_started];

		r->drive = d;
		r->index = d->nr_started;
		err = -pthread_create(&r->thread, NULL, role_thread, r);
		d->nr_started += !err;
	}
	if (err)
		abort_all(d);
	return err;
}

static int first_error(const struct drive *d)
{
	for (unsigned int i = 0; i < d->nr_roles; i++)
		if (d->roles[i].err)
			return d->roles[i].err;
	return 0;
}

static void init_sync(struct drive *d)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->cond, &attr);
	pthread_condattr_destroy(&attr);
	d->met = true;
}

int drive_run(struct drive *d, drive_progress progress, void *data)
{
	sigset_t set, old;
	int signal_fd, err;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!stop_hangup_ignored())
		sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	d->done_fd = eventfd(0, EFD_CLOEXEC);
	init_sync(d);
	err = signal_fd < 0 || d->done_fd < 0 ? -errno : 0;
	if (err)
		goto close;
	err = start_roles(d);
	while (!err && wait_turn(d, signal_fd))
		if (progress)
			progress(d, data);
	for (unsigned int i = 0; i < d->nr_started; i++)
		pthread_join(d->roles[i].thread, NULL);
	d->elapsed = now_s() - d->start;
	err = err ?: first_error(d);
close:
	if (d->done_fd >= 0)
		close(d->done_fd);
	if (signal_fd >= 0)
		close(signal_fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}
