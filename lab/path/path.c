// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which machines get the queue, and which test and set: the kernel's own file decides, for every
 * kind of machine that there can be.
 */
#include <stdio.h>
#include <string.h>

#define X86_FEATURE_HYPERVISOR 0
#define KVM_FEATURE_PV_UNHALT  7
#define KVM_HINTS_REALTIME     0

struct machine {
	bool hypervisor, kvm, pv_unhalt, realtime, no_pvspin, one_cpu;
};

static struct machine here;
static bool test_and_set;
static bool __attribute__((unused)) nopvspin;

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

static bool __attribute__((unused)) kvm_para_has_feature(int feature)
{
	return !here.kvm || (feature == KVM_FEATURE_PV_UNHALT && here.pv_unhalt);
}

#define DEFINE_STATIC_KEY_FALSE(key) static bool *const key = &test_and_set
#define static_branch_enable(key)    (**(key) = true)

#include <arch/x86/kernel/rqspinlock.c>

static bool as_wanted(void)
{
	bool want = here.hypervisor && !(here.kvm && here.realtime), good;

	test_and_set = false;
	nopvspin = here.no_pvspin;
	shim_nr_cpus = here.one_cpu ? 1 : 4;
	good = !res_choose_path() && test_and_set == want;
	printf("%s - path: %s%s%s%s%s%s: %s\n", good ? "ok" : "not ok",
	       here.hypervisor ? "hypervisor" : "bare metal", here.kvm ? ", KVM" : "",
	       here.pv_unhalt ? ", PV_UNHALT" : "", here.realtime ? ", REALTIME" : "",
	       here.no_pvspin ? ", nopvspin" : "", here.one_cpu ? ", one CPU" : "",
	       test_and_set ? "test and set" : "queue");
	return good;
}

/* KVM's CPUID bits are there in its guests only. */
static bool exists(void)
{
	if (here.kvm && !here.hypervisor)
		return false;
	return here.kvm || !(here.pv_unhalt || here.realtime);
}

int main(void)
{
	unsigned int passed = 0, failed = 0;

	for (unsigned int bits = 0; bits < 1 << 6; bits++) {
		here = (struct machine){ bits & 1, bits & 2,  bits & 4,
					 bits & 8, bits & 16, bits & 32 };
		if (!exists())
			continue;
		if (as_wanted())
			passed++;
		else
			failed++;
	}
	printf("\n%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed || !passed;
}
