// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which machines get the queue, which the queue for virtual machines, and which test-and-set: the
 * kernel's own file is run for every possible kind of machine.
 */
#include <stdio.h>
#include <string.h>

#define X86_FEATURE_HYPERVISOR 0
#define KVM_HINTS_REALTIME     0

struct machine {
	bool hypervisor, kvm, kicks, realtime, no_pvspin, one_cpu;
};

static struct machine here;
static bool test_and_set, hybrid;

static bool boot_cpu_has(int feature)
{
	return feature == X86_FEATURE_HYPERVISOR && here.hypervisor;
}

static bool kvm_para_available(void)
{
	return here.kvm;
}

/* CPUID leaves of KVM mean nothing on other machines: there they are read as all ones. */
static bool kvm_para_has_hint(int hint)
{
	return !here.kvm || (hint == KVM_HINTS_REALTIME && here.realtime);
}

/* kvm_spinlock_init(), and what Xen and Hyper-V have in its place. */
static bool pv_is_native_spin_unlock(void)
{
	return !here.kicks || here.no_pvspin || here.one_cpu || (here.kvm && here.realtime);
}

static int match_string(const char *const *strings, size_t n, const char *string)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!strcmp(strings[i], string))
			return i;
	}
	return -EINVAL;
}

#define CONFIG_PARAVIRT_SPINLOCKS 1
#define IS_ENABLED(option)	  option
#define __initdata
#define early_param(name, fn)
#define pr_warn(...)		      ((void)0)
#define pr_info(...)		      ((void)0)
#define local_irq_disable()	      ((void)0)
#define local_irq_enable()	      ((void)0)
#define safe_halt()		      ((void)0)
#define pv_wait(flag, val)	      ((void)0)
#define pv_kick(cpu)		      ((void)0)
#define arch_smp_send_reschedule(cpu) ((void)0)
#define res_halt		      path_res_halt
#define res_kick		      path_res_kick
#define DEFINE_STATIC_KEY_FALSE(key)  static bool key
#define static_branch_enable(key)     (*(key) = true)
#define res_virt_key		      test_and_set
#define res_hybrid_key		      hybrid

#include <arch/x86/kernel/rqspinlock.c>

static enum res_mode wanted_mode(void)
{
	if (!here.hypervisor || (here.kvm && here.realtime))
		return RES_MODE_QUEUE;
	return RES_MODE_TAS; /* hybrid only on demand */
}

/* Starts the machine with "rqspinlock=@arg", or without. */
static bool machine_gets(const char *arg, enum res_mode mode)
{
	char text[32];

	test_and_set = hybrid = false;
	res_mode = RES_MODE_AUTO;
	shim_nr_cpus = here.one_cpu ? 1 : 4;
	if (arg) {
		strcpy(text, arg);
		res_parse_mode(text);
	}
	return !res_choose_path() && test_and_set == (mode == RES_MODE_TAS) &&
	       hybrid == (mode == RES_MODE_HYBRID);
}

static bool as_wanted(void)
{
	bool good = machine_gets(NULL, wanted_mode()) && machine_gets("nonsense", wanted_mode()) &&
		    machine_gets("", wanted_mode());
	size_t i;

	for (i = 0; i < ARRAY_SIZE(res_modes); i++)
		good = machine_gets(res_modes[i], i) && good;
	printf("%s - path: %s%s%s%s%s%s: %s\n", good ? "ok" : "not ok",
	       here.hypervisor ? "hypervisor" : "bare metal", here.kvm ? ", KVM" : "",
	       here.kicks ? (here.kvm ? ", PV_UNHALT" : ", kicks") : "",
	       here.realtime ? ", REALTIME" : "", here.no_pvspin ? ", nopvspin" : "",
	       here.one_cpu ? ", one CPU" : "", res_modes[wanted_mode()]);
	return good;
}

/* There are no kicks without a hypervisor, and REALTIME is KVM's. */
static bool machine_exists(void)
{
	if ((here.kvm || here.kicks) && !here.hypervisor)
		return false;
	return here.kvm || !here.realtime;
}

int main(void)
{
	unsigned int passed = 0, failed = 0;

	for (unsigned int bits = 0; bits < 1 << 6; bits++) {
		here = (struct machine){ bits & 1, bits & 2,  bits & 4,
					 bits & 8, bits & 16, bits & 32 };
		if (!machine_exists())
			continue;
		if (as_wanted())
			passed++;
		else
			failed++;
	}
	printf("\n%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed || !passed;
}
