// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * flows own|shared|hot THREADS SECONDS: a thread for each CPU sends packets to flows.bpf.c. own:
 * each thread has 16 flows of its own. shared: all have the same 16. hot: one flow takes every
 * second burst, the others go to flows of the thread's own. One line of JSON: packets sent, counted
 * in the flows and in the flow with most of them, seconds, and the acquisitions.
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/types.h>
#include <linux/udp.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "attempts.h"
#include "flows.h"
#include "pinned.h"
#include "selftests/kernel/bench/flows.skel.h"

#define SET   16 /* flows from which a thread takes one by lot */
#define BURST 64 /* packets of a flow in one system call */
#define HOT   0	 /* the hot flow's place in the map */

struct packet {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	char rest[22];
} __attribute__((packed));

struct job {
	const char *load;
	int fd;
	double seconds, began, took;
	unsigned long long sent[FLOWS_NR / SET];
};

struct sums {
	unsigned long long packets, bytes, most;
};

static struct flow_key key_for(__u32 slot)
{
	struct flow_key key = { .saddr = htonl(0x0a000001),
				.daddr = htonl(0x0a000002),
				.dport = htons(53),
				.protocol = IPPROTO_UDP };

	for (unsigned int port = 1; port < 65536; port++) {
		key.sport = htons(port);
		if (flow_slot(&key) == slot)
			return key;
	}
	errx(2, "no packet belongs to flow %u", slot);
}

static struct packet packet_for(__u32 slot)
{
	struct flow_key key = key_for(slot);

	return (struct packet){
		.eth.h_proto = htons(ETH_P_IP),
		.ip = { .version = 4,
			.ihl = 5,
			.ttl = 64,
			.protocol = key.protocol,
			.saddr = key.saddr,
			.daddr = key.daddr,
			.tot_len = htons(sizeof(struct packet) - sizeof(struct ethhdr)) },
		.udp = { .source = key.sport,
			 .dest = key.dport,
			 .len = htons(sizeof(struct packet) - sizeof(struct ethhdr) -
				      sizeof(struct iphdr)) },
	};
}

static __u32 random_next(__u32 random)
{
	return random * 1664525 + 1013904223;
}

static void bursts_send(struct job *job, int id, const struct packet *set, const struct packet *hot)
{
	__u32 random = random_next(id + 1);

	do {
		random = random_next(random);
		test_run_packet(job->fd, hot && random >> 31 ? hot : &set[random >> 20 & (SET - 1)],
				sizeof(*hot), BURST);
		job->sent[id] += BURST;
	} while (seconds_now() < job->began + job->seconds);
}

static void flows_send(struct pinned *self)
{
	struct job *job = self->arg;
	struct packet set[SET], hot = packet_for(HOT);
	__u32 first = strcmp(job->load, "shared") ? (self->id + 1) * SET : 0;

	for (int i = 0; i < SET; i++)
		set[i] = packet_for(first + i);
	pthread_barrier_wait(self->barrier);
	if (!self->id)
		job->began = seconds_now();
	pthread_barrier_wait(self->barrier);
	bursts_send(job, self->id, set, strcmp(job->load, "hot") ? NULL : &hot);
}

static struct sums flows_sum(int map_fd)
{
	struct sums sums = { 0 };

	for (__u32 slot = 0; slot < FLOWS_NR; slot++) {
		struct flow flow;

		if (bpf_map_lookup_elem(map_fd, &slot, &flow))
			err(2, "flow %u", slot);
		sums.packets += flow.packets;
		sums.bytes += flow.bytes;
		if (flow.packets > sums.most)
			sums.most = flow.packets;
	}
	return sums;
}

static void flows_print(const struct flows_bpf *skel, const struct job *job, unsigned int threads)
{
	struct attempts a = attempts_sum((const struct attempts *)skel->bss->attempts);
	struct sums counted = flows_sum(bpf_map__fd(skel->maps.flows));
	unsigned long long sent = 0;

	for (unsigned int i = 0; i < threads; i++)
		sent += job->sent[i];
	printf("{\"case\": \"%s\", \"threads\": %u, \"sent\": %llu, \"counted\": %llu, "
	       "\"whole\": %s, \"most\": %llu, \"failed\": %llu, \"seconds\": %.3f, ",
	       job->load, threads, sent, counted.packets,
	       counted.bytes == counted.packets * sizeof(struct packet) ? "true" : "false",
	       counted.most, attempts_failed(&a), job->took);
	attempts_print(&a);
	printf("}\n");
}

static void flows_run(struct job *job, unsigned int threads)
{
	struct flows_bpf *skel = flows_bpf__open_and_load();

	if (!skel)
		err(2, "cannot load flows.bpf.o");
	job->fd = bpf_program__fd(skel->progs.packet_count);
	run_pinned((int)threads, flows_send, job);
	job->took = seconds_now() - job->began;
	flows_print(skel, job, threads);
	flows_bpf__destroy(skel);
}

int main(int argc, char **argv)
{
	struct job job = { 0 };
	unsigned int threads;

	if (argc != 4 ||
	    (strcmp(argv[1], "own") && strcmp(argv[1], "shared") && strcmp(argv[1], "hot")))
		errx(2, "usage: flows own|shared|hot THREADS SECONDS");
	job.load = argv[1];
	job.seconds = count_arg(argv[3]);
	threads = count_arg(argv[2]);
	if (threads >= FLOWS_NR / SET)
		errx(2, "%u threads", threads);
	flows_run(&job, threads);
	return 0;
}
