/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Can a map that is not in use otherwise still hold all its elements? 1 if so. */
#ifndef RQSPIN_STRESS_CAPACITY_H
#define RQSPIN_STRESS_CAPACITY_H

struct bpf_map;

/* Keys of the first three are __u32, values __u64; @cpus: CPUs that we may run on. */
int capacity_hash(const struct bpf_map *map, const int *cpus, int nr);
int capacity_lru(const struct bpf_map *map, const int *cpus, int nr);
int capacity_lru_cpu(const struct bpf_map *map, const int *cpus, int nr);
int capacity_lpm(const struct bpf_map *map);
int capacity_queue(const struct bpf_map *map);

#endif
