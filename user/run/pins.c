// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <unistd.h>

#include "run/pins.h"

void pins_none(struct bpf_object *obj, bool share)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj)
	{
		const char *path = bpf_map__pin_path(map);

		if (path && (!share || access(path, F_OK)))
			bpf_map__set_pin_path(map, NULL);
	}
}
