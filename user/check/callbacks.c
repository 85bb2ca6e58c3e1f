// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "check/callbacks.h"

#define ELEMENT { ARG_MAP, ARG_KEY, ARG_VALUE }

static const struct callback_taker takers[] = {
	{ "bpf_loop", 2, TIMES_ANY, RUN_PROGRAM, 0, 3, { ARG_NUMBER, ARG_CONTEXT } },
	{ "for_each",
	  2,
	  TIMES_ANY,
	  RUN_PROGRAM,
	  1,
	  3,
	  { ARG_MAP, ARG_KEY, ARG_VALUE, ARG_CONTEXT } },
	{ "bpf_find_vma",
	  3,
	  TIMES_ONCE,
	  RUN_PROGRAM,
	  0,
	  4,
	  { ARG_POINTER, ARG_POINTER, ARG_CONTEXT } },
	{ "bpf_user_ringbuf_drain", 2, TIMES_ANY, RUN_PROGRAM, 0, 3, { ARG_POINTER, ARG_CONTEXT } },
	{ "bpf_rbtree_add_impl", 3, TIMES_ANY, RUN_PROGRAM, 0, 0, { ARG_POINTER, ARG_POINTER } },
	{ "bpf_rbtree_add", 3, TIMES_ANY, RUN_PROGRAM, 0, 0, { ARG_POINTER, ARG_POINTER } },
	{ "bpf_timer_set_callback", 2, TIMES_LATER, RUN_TIMER, 1, 0, ELEMENT },
	{ "bpf_wq_set_callback_impl", 2, TIMES_LATER, RUN_WORK, 1, 0, ELEMENT },
	{ "bpf_wq_set_callback", 2, TIMES_LATER, RUN_WORK, 1, 0, ELEMENT },
	{ "bpf_task_work_schedule_signal_impl", 4, TIMES_LATER, RUN_WORK, 2, 0, ELEMENT },
	{ "bpf_task_work_schedule_signal", 4, TIMES_LATER, RUN_WORK, 2, 0, ELEMENT },
	{ "bpf_task_work_schedule_resume_impl", 4, TIMES_LATER, RUN_WORK, 2, 0, ELEMENT },
	{ "bpf_task_work_schedule_resume", 4, TIMES_LATER, RUN_WORK, 2, 0, ELEMENT },
};

static const struct callback_taker unknown = {
	"",
	0,
	TIMES_ANY,
	RUN_SOMEWHERE,
	0,
	0,
	{ ARG_ANYTHING, ARG_ANYTHING, ARG_ANYTHING, ARG_ANYTHING },
};

/* bpf_for_each_map_elem(), or the map type's own function, such as bpf_for_each_hash_elem(). */
static bool name_matches(const char *row, const char *name)
{
	if (!strcmp(row, "for_each"))
		return !strncmp(name, "bpf_for_each_", strlen("bpf_for_each_"));
	return !strcmp(row, name);
}

const struct callback_taker *callback_find(const char *name)
{
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (name_matches(takers[i].name, name))
			return &takers[i];
	return NULL;
}

const struct callback_taker *callback_unknown(void)
{
	return &unknown;
}

static struct val arg_make(enum callback_arg arg, const struct stepper *s, struct state *st,
			   const struct val *element, const struct val *context)
{
	switch (arg) {
	case ARG_NUMBER:
		return state_fresh(s->syms, st, (__u64)st->pc * 256, true);
	case ARG_MAP:
		if (element->kind == VAL_ELEM)
			return (struct val){ .kind = VAL_MAP, .where = element->where };
		break;
	case ARG_KEY:
		if (element->kind == VAL_ELEM)
			return (struct val){ .kind = VAL_KEY,
					     .where = element->where,
					     .sym = element->sym };
		break;
	case ARG_VALUE:
		return *element;
	case ARG_CONTEXT:
		return *context;
	case ARG_ANYTHING:
		return (struct val){ .kind = VAL_ANYWHERE };
	default:
		break;
	}
	return (struct val){ .kind = VAL_ANY };
}

/* The element that holds the timer or the like, if its key is known; else any of the map. */
static struct val element_make(const struct stepper *s, struct state *st, const struct val *source)
{
	struct val element = { .kind = VAL_ELEM, .where = source->where };
	__u64 key;

	if (source->kind != VAL_ELEM && source->kind != VAL_MAP)
		return (struct val){ .kind = VAL_ANY };
	element.sym = step_only_key(s, source->where);
	if (!element.sym && source->kind == VAL_ELEM && sym_is_number(s->syms, source->sym, &key))
		element.sym = source->sym;
	if (!element.sym)
		element.sym = state_fresh(s->syms, st, (__u64)st->pc * 256 + 1, false).sym;
	return element;
}

void callback_set_args(const struct callback_taker *taker, const struct stepper *s,
		       struct state *st, const struct val *source, const struct val *context)
{
	struct val element = element_make(s, st, source);

	for (int i = 0; i < CALLBACK_ARGS; i++)
		*state_reg(st, BPF_REG_1 + i) = arg_make(taker->args[i], s, st, &element, context);
}
