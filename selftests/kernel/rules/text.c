// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

const struct op_info ops[NR_OPS] = {
	[OP_LOCK] = { "lock", "l", 2, F_RESILIENT },
	[OP_LOCK_IRQ] = { "lock_irqsave", "lf", 2, F_RESILIENT },
	[OP_UNLOCK] = { "unlock", "l", 0, F_RESILIENT },
	[OP_UNLOCK_OOO] = { "unlock_ooo", "l", 0, F_OOO },
	[OP_UNLOCK_IRQ] = { "unlock_irqrestore", "lf", 0, F_RESILIENT },
	[OP_SPIN_LOCK] = { "spin_lock", "l", 1, F_PLAIN },
	[OP_SPIN_UNLOCK] = { "spin_unlock", "l", 0, F_PLAIN },
	[OP_SAVE] = { "save", "f", 0, F_IRQ },
	[OP_RESTORE] = { "restore", "f", 0, F_IRQ },
	[OP_SMASH] = { "smash", "f", 0, F_IRQ },
	[OP_HELPER] = { "helper", "", 0, F_FLOW },
	[OP_SLEEP] = { "sleep", "", 0, F_SLEEP },
	[OP_ITER] = { "iter", "t", 1, F_ITER },
	[OP_IF] = { "if", "", 2, F_FLOW },
	[OP_REPEAT] = { "repeat", "t", 1, F_FLOW },
	[OP_LOOP] = { "bpf_loop", "t", 1, F_LOOP },
	[OP_FOREACH] = { "for_each", "v", 1, F_FOREACH },
	[OP_CALL] = { "call", "s", 0, F_FLOW },
	[OP_EXIT] = { "exit", "", 0, F_FLOW },
	[OP_LOOKUP] = { "lookup", "v", 2, F_VALUE },
	[OP_NEW] = { "new", "o", 2, F_OBJECT },
	[OP_DROP] = { "drop", "o", 0, F_OBJECT },
	[OP_TOUCH] = { "touch", "o", 0, F_OBJECT },
	[OP_PUSH] = { "push", "or", 0, F_LIST },
	[OP_POP] = { "pop", "or", 2, F_LIST },
	[OP_ADD] = { "add", "or", 1, F_TREE },
	[OP_FIRST] = { "first", "or", 2, F_TREE },
	[OP_REMOVE] = { "remove", "or", 2, F_TREE },
	[OP_LESS_ADD] = { "less_add", "r", 0, F_LESS },
	[OP_RCU_LOCK] = { "rcu_lock", "", 0, F_RCU },
	[OP_RCU_UNLOCK] = { "rcu_unlock", "", 0, F_RCU },
	[OP_KPTR] = { "kptr", "", 2, F_KPTR },
	[OP_KPTR_USE] = { "kptr_use", "", 0, F_KPTR },
	[OP_VALUE_READ] = { "value_read", "", 0, F_MAP_ITER },
	[OP_VALUE_WRITE] = { "value_write", "", 0, F_MAP_ITER },
	[OP_VALUE_KEEP] = { "value_keep", "v", 0, F_MAP_ITER },
};

const char *const env_names[NR_ENVS] = { "tc",	     "syscall",	   "fentry",
					 "iter_res", "iter_plain", "iter_number" };

static const char *const lock_names[NR_LOCKS] = { "g0", "g1", "v0", "v1", "p0",
						  "p1", "o0", "o1", "o2", "o3" };

struct block *new_block(struct program *p)
{
	if (p->nr_blocks == MAX_BLOCKS)
		return NULL;
	return memset(&p->blocks[p->nr_blocks++], 0, sizeof(struct block));
}

struct stmt *add_stmt(struct block *b, enum op op)
{
	struct stmt *s;

	if (b->n == MAX_STMTS)
		return NULL;
	s = &b->stmts[b->n++];
	memset(s, 0, sizeof(*s));
	s->op = op;
	return s;
}

static void print_operand(const struct stmt *s, char operand, FILE *to)
{
	switch (operand) {
	case 'l':
		fprintf(to, " %s", lock_names[s->lock]);
		break;
	case 'r':
		fprintf(to, " %s", lock_names[s->root]);
		break;
	case 'f':
		fprintf(to, " f%d", s->flag);
		break;
	case 't':
		fprintf(to, " t%d", s->turns);
		break;
	case 's':
		fprintf(to, " sub%d", s->sub);
		break;
	case 'o':
		fprintf(to, " o%d", s->obj);
		break;
	default:
		fprintf(to, " v%d", s->value);
	}
}

static void print_block(const struct block *b, int depth, FILE *to)
{
	const struct stmt *s;
	const char *operand;

	for (s = b->stmts; s < b->stmts + b->n; s++) {
		fprintf(to, "#%*s%s", depth * 4, "", ops[s->op].name);
		for (operand = ops[s->op].operands; *operand; operand++)
			print_operand(s, *operand, to);
		fprintf(to, "%s\n", s->a ? " (" : "");
		if (s->a)
			print_block(s->a, depth + 1, to);
		if (s->b) {
			fprintf(to, "#%*s|\n", depth * 4, "");
			print_block(s->b, depth + 1, to);
		}
		if (s->a)
			fprintf(to, "#%*s)\n", depth * 4, "");
	}
}

void print_program(const struct program *p, FILE *to)
{
	int i;

	fprintf(to, "# %s\n", env_names[p->env]);
	print_block(p->main, 1, to);
	for (i = 0; i < NR_SUBS; i++) {
		if (!p->subs[i])
			continue;
		fprintf(to, "# sub%d\n", i);
		print_block(p->subs[i], 1, to);
	}
}

struct parser {
	struct program *p;
	char *at, word[32];
	int err;
};

static const char *next_word(struct parser *in)
{
	size_t n;

	in->at += strspn(in->at, " \t\n");
	n = strcspn(in->at, " \t\n");
	snprintf(in->word, sizeof(in->word), "%.*s", (int)n, in->at);
	in->at += n;
	return in->word;
}

static void bad_word(struct parser *in, const char *what)
{
	if (!in->err)
		fprintf(stderr, "rules: '%s' is not %s\n", in->word, what);
	in->err = -EINVAL;
}

static int find_name(const char *name, const char *const *names, int n)
{
	while (n-- && strcmp(names[n], name))
		;
	return n;
}

static void parse_operand(struct parser *in, struct stmt *s, char operand)
{
	const char *word = next_word(in);
	bool is_lock = operand == 'l' || operand == 'r';
	int n = is_lock ? find_name(word, lock_names, operand == 'l' ? NR_LOCKS : NR_ROOTS) :
			  (*word ? atoi(word + 1) : -1);

	if (n < 0 || (operand == 'f' && n >= NR_FLAGS) || (operand == 'o' && n >= NR_OBJECTS) ||
	    (operand == 'v' && n >= NR_VALUES)) {
		bad_word(in, "an operand of this statement");
		return;
	}
	switch (operand) {
	case 'l':
		s->lock = n;
		break;
	case 'r':
		s->root = n;
		break;
	case 'f':
		s->flag = n;
		break;
	case 't':
		s->turns = n;
		break;
	case 'o':
		s->obj = n;
		break;
	case 'v':
		s->value = n;
		break;
	default:
		bad_word(in, "possible here: there are no subprograms");
	}
}

static enum op find_op(const char *name)
{
	int op;

	for (op = 0; op < NR_OPS && strcmp(ops[op].name, name); op++)
		;
	return (enum op)op;
}

static void parse_block(struct parser *in, struct block *b, const char *end);

static void parse_stmt(struct parser *in, struct block *b)
{
	enum op op = find_op(in->word);
	struct stmt *s = op < NR_OPS ? add_stmt(b, op) : NULL;
	const char *operand;

	if (!s) {
		bad_word(in, "a statement");
		return;
	}
	for (operand = ops[op].operands; *operand; operand++)
		parse_operand(in, s, *operand);
	if (!ops[op].blocks)
		return;
	s->a = new_block(in->p);
	s->b = ops[op].blocks == 2 ? new_block(in->p) : NULL;
	if (!s->a || (ops[op].blocks == 2 && !s->b) || strcmp(next_word(in), "(")) {
		bad_word(in, "the '(' that must follow");
		return;
	}
	parse_block(in, s->a, ops[op].blocks == 2 ? "|" : ")");
	if (s->b)
		parse_block(in, s->b, ")");
}

static void parse_block(struct parser *in, struct block *b, const char *end)
{
	while (!in->err && strcmp(next_word(in), end))
		parse_stmt(in, b);
}

int parse_program(struct program *p, const char *text)
{
	struct parser in = { .p = p };
	char *copy = strdup(text);
	int env;

	if (!copy)
		return -ENOMEM;
	in.at = copy;
	memset(p, 0, sizeof(*p));
	p->main = new_block(p);
	env = find_name(next_word(&in), env_names, NR_ENVS);
	if (env < 0)
		bad_word(&in, "a kind of program");
	p->env = env < 0 ? ENV_TC : (enum env)env;
	parse_block(&in, p->main, "");
	free(copy);
	return in.err;
}
