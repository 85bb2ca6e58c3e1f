// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Programs that a sound verifier refuses, but some kernels accept: docs/holes.md. Beside each
 * refused program is a similar one that is fine.
 */
#include "locks.h"
#include "plain_values.h"
#include "graph.h"

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) __weak __ksym;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __weak __ksym;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __weak __ksym;
extern struct task_struct *bpf_task_acquire(struct task_struct *p) __weak __ksym;
extern void bpf_task_release(struct task_struct *p) __weak __ksym;
extern int bpf_stream_vprintk(int stream_id, const char *fmt__str, const void *args,
			      __u32 len__sz) __weak __ksym;

#define UNDER_PLAIN(name) name " is not allowed while holding a bpf_spin_lock"

#define BPF_KPTR __attribute__((btf_type_tag("kptr")))

static __always_inline struct plain_locked *plain_element(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&plain_values, &key);
}

/* Resilient locks, iterators and streams under a bpf_spin_lock. */

SEC("?tc")
__hole("plain-lock")
__refused(UNDER_PLAIN("bpf_res_spin_lock"))
int lock_under_plain(struct __sk_buff *ctx)
{
	struct plain_locked *v = plain_element();

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	if (!bpf_res_spin_lock(&lock_a))
		bpf_res_spin_unlock(&lock_a);
	bpf_spin_unlock(&v->lock);
	return 0;
}

SEC("?tc")
__hole("plain-lock")
__refused(UNDER_PLAIN("bpf_res_spin_lock_irqsave"))
int irqsave_under_plain(struct __sk_buff *ctx)
{
	struct plain_locked *v = plain_element();
	unsigned long flags;

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	if (!bpf_res_spin_lock_irqsave(&lock_a, &flags))
		bpf_res_spin_unlock_irqrestore(&lock_a, &flags);
	bpf_spin_unlock(&v->lock);
	return 0;
}

SEC("?syscall")
__hole("plain-lock")
__needs("bpf_stream_vprintk")
__refused(UNDER_PLAIN("bpf_stream_vprintk"))
int stream_under_plain(void *ctx)
{
	struct plain_locked *v = plain_element();
	__u64 arg = 0;

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	bpf_stream_vprintk(1, "held", &arg, 0);
	bpf_spin_unlock(&v->lock);
	return 0;
}

SEC("?tc")
__hole("plain-lock")
__refused(UNDER_PLAIN("bpf_iter_num_new"))
int iterator_under_plain(struct __sk_buff *ctx)
{
	struct plain_locked *v = plain_element();
	struct bpf_iter_num it;

	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	bpf_iter_num_new(&it, 0, 10);
	while (bpf_iter_num_next(&it))
		v->count++;
	bpf_iter_num_destroy(&it);
	bpf_spin_unlock(&v->lock);
	return 0;
}

/* RCU pointers that a sleepable program loaded under a lock. */

struct task_of {
	struct bpf_spin_lock lock;
	struct task_struct BPF_KPTR *task;
};

struct res_task_of {
	struct bpf_res_spin_lock lock;
	struct task_struct BPF_KPTR *task;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct task_of);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct res_task_of);
} res_tasks SEC(".maps");

static __always_inline int use_task(struct task_struct *task)
{
	struct task_struct *mine = bpf_task_acquire(task);

	if (mine)
		bpf_task_release(mine);
	return 0;
}

SEC("?syscall")
__hole("rcu-pointer")
__refused_re("must be (a rcu pointer|referenced or trusted)")
int task_after_plain_lock(void *ctx)
{
	struct task_struct *task;
	struct task_of *v;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&tasks, &key);
	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	task = v->task;
	bpf_spin_unlock(&v->lock);
	return task ? use_task(task) : 0;
}

SEC("?syscall")
__hole("rcu-pointer")
__refused_re("must be (a rcu pointer|referenced or trusted)")
int task_after_res_lock(void *ctx)
{
	struct res_task_of *v;
	struct task_struct *task;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&res_tasks, &key);
	if (!v || bpf_res_spin_lock(&v->lock))
		return 0;
	task = v->task;
	bpf_res_spin_unlock(&v->lock);
	return task ? use_task(task) : 0;
}

SEC("?syscall")
__hole("rcu-pointer")
__refused_re("must be (a rcu pointer|referenced or trusted)")
int task_after_irqsave_lock(void *ctx)
{
	struct res_task_of *v;
	struct task_struct *task;
	unsigned long flags;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&res_tasks, &key);
	if (!v || bpf_res_spin_lock_irqsave(&v->lock, &flags))
		return 0;
	task = v->task;
	bpf_res_spin_unlock_irqrestore(&v->lock, &flags);
	return task ? use_task(task) : 0;
}

/* The program as a whole is an RCU section. */
SEC("?tc")
__accepted
int task_of_a_program_that_cannot_sleep(struct __sk_buff *ctx)
{
	struct task_struct *task;
	struct task_of *v;
	__u32 key = 0;

	v = bpf_map_lookup_elem(&tasks, &key);
	if (!v)
		return 0;
	bpf_spin_lock(&v->lock);
	task = v->task;
	bpf_spin_unlock(&v->lock);
	return task ? use_task(task) : 0;
}

/* R0 of a lock call that succeeded. */

SEC("?tc")
__hole("upper-half")
__refused("R6 invalid mem access")
__attribute__((naked)) int upper_half_of_the_result(void)
{
	asm volatile("r1 = %[lock] ll;"
		     "call %[bpf_res_spin_lock];"
		     "if w0 != 0 goto 1f;"
		     "r6 = r0;"
		     "r1 = %[lock] ll;"
		     "call %[bpf_res_spin_unlock];"
		     "r6 >>= 32;"
		     "if r6 == 0 goto 1f;"
		     "r0 = *(u64 *)(r6 + 0);" /* reached only if the upper half is not known */
		     "1:"
		     "r0 = 0;"
		     "exit;"
		     :
		     : [lock] "i"(&lock_a), [bpf_res_spin_lock] "i"(bpf_res_spin_lock),
		       [bpf_res_spin_unlock] "i"(bpf_res_spin_unlock)
		     : "r0", "r1", "r2", "r3", "r4", "r5", "r6");
}

/* A callback less() changes the tree during a walk: by an object of a map or of a locked list. */

struct leaf {
	struct bpf_rb_node branch;
	struct bpf_list_node link;
	struct bpf_refcount owners;
	__u64 key;
};

struct bpf_res_spin_lock tree_lock __hidden SEC(".data.hole_tree");
struct bpf_rb_root tree_root __hidden SEC(".data.hole_tree") __contains(leaf, branch);
struct bpf_list_head tree_list __hidden SEC(".data.hole_tree") __contains(leaf, link);
struct leaf BPF_KPTR *spare __hidden SEC(".data.hole_spare");

static bool leaf_less(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	return container_of(a, struct leaf, branch)->key <
	       container_of(b, struct leaf, branch)->key;
}

static bool less_that_adds(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	struct leaf *n = bpf_kptr_xchg(&spare, NULL);

	if (n)
		bpf_rbtree_add_impl(&tree_root, &n->branch, leaf_less, NULL, 0);
	return leaf_less(a, b);
}

static bool less_that_pops(struct bpf_rb_node *a, const struct bpf_rb_node *b)
{
	struct bpf_list_node *n = bpf_list_pop_front(&tree_list);

	if (n)
		bpf_rbtree_add_impl(&tree_root, &container_of(n, struct leaf, link)->branch,
				    leaf_less, NULL, 0);
	return leaf_less(a, b);
}

static __always_inline int leaf_add(bool (*less_of_leaves)(struct bpf_rb_node *,
							   const struct bpf_rb_node *))
{
	struct leaf *n = bpf_obj_new(struct leaf);

	if (!n)
		return 0;
	if (bpf_res_spin_lock(&tree_lock)) {
		bpf_obj_drop(n);
		return 0;
	}
	bpf_rbtree_add_impl(&tree_root, &n->branch, less_of_leaves, NULL, 0);
	bpf_res_spin_unlock(&tree_lock);
	return 0;
}

SEC("?tc")
__hole("add-in-add")
__refused_re("rbtree_add(_impl)? not allowed in rbtree cb|function calls are not allowed while")
int tree_changed_in_the_callback(struct __sk_buff *ctx)
{
	return leaf_add(less_that_adds);
}

SEC("?tc")
__hole("add-in-add")
__refused_re("rbtree_add(_impl)? not allowed in rbtree cb")
int tree_changed_by_what_was_popped(struct __sk_buff *ctx)
{
	return leaf_add(less_that_pops);
}

static long visit_nothing(__u32 index, void *ctx)
{
	return 0;
}

/*
 * A callback that is never called, in the last place: libbpf puts functions behind the program in
 * the order of the program's references. Other kernels refuse it, with a warning in their log.
 */

static __noinline int add_one(int n)
{
	asm volatile("");
	return n + 1;
}

SEC("?tc")
__needs("bpf_res_spin_unlock_ooo")
__returns(7)
int uncalled_callback(struct __sk_buff *ctx)
{
	int n = add_one(6);

	bpf_loop(0, visit_nothing, NULL, 0);
	return n;
}

/* If the flags are not known, the call of the helper is not replaced. */
SEC("?tc")
__needs("bpf_res_spin_unlock_ooo")
__returns(8)
int uncalled_callback_of_the_helper(struct __sk_buff *ctx)
{
	int n = add_one(7);

	bpf_loop(0, visit_nothing, NULL, ctx->mark);
	return n;
}

char _license[] SEC("license") = "GPL";
