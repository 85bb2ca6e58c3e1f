#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Does run.sh tell the truth? Every way a guest can end must have its own exit status.
set -uo pipefail

run=$(dirname "$(readlink -f "$0")")/run.sh
kernel=debian-7
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0 passed=0 failed=0

check() {
	local what=$1
	shift
	n=$((n + 1))
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/# /' "$out/stdout" "$out/stderr" | tail -n 20
	fi
}

guest() {
	"$run" --kernel $kernel "$@" >"$out/stdout" 2>"$out/stderr"
	rc=$?
}

is() { [ "$rc" = "$1" ]; }
says() { grep -q "$2" "$out/$1"; }
is_and_says() { is "$1" && says stderr "$2"; }

# What run.sh would not complain about with this kernel.
allowed_for() {
	bash -c 'kernel=$1 here=$2; . "$here/kernel-log.sh"; allowed_lines' bash "$1" "${run%/*}"
}

leak_is_allowed() {
	local line='WARNING: CPU: 1 PID: 2 at kernel/bpf/syscall.c:865 bpf_obj_free_fields+0x1'
	grep -qE -f <(allowed_for debian-7) <<<"$line" &&
		grep -qE -f <(allowed_for 7.x-stock) <<<"$line" &&
		! grep -qE -f <(allowed_for 7.x-fixes) <<<"$line" &&
		grep -qE -f <(allowed_for 6.12-rqspin-kasan) <<<'torture:--- Start of test' &&
		! grep -qE -f <(allowed_for 6.12-rqspin-kasan) <<<"$line"
}

functions() {
	local name
	for name; do sed -n "/^$name() {/,/^}/p" "$run"; done
}

# A guest that is still there after its answer, on which the command passed: a process of this
# machine stands for it.
stays_after_answer() {
	mkdir "$out/state"
	echo 0 >"$out/state/rc"
	echo 'reboot: Power down' >"$out/state/console"
	bash -c "kernel=$kernel here=${run%/*} state=$out/state end_limit=0
		. ${run%/*}/kernel-log.sh
		$(functions kill_guest expect_end console_tail kernel_faults report)
		sleep 1000 &
		expect_end \$!
		report" 2>"$out/stderr"
	rc=$?
	is_and_says 126 'did not power off' && says stderr 'reboot: Power down'
}

# What the runner itself has to say is on stderr as well.
streams_apart() {
	[ "$(cat "$out/stdout")" = "data 4" ] && [ "$(grep -vE '^(vm|guest-run): ' "$out/stderr")" = talk ]
}

# The shell that waits is killed as nothing can catch; the guest's QEMU must go all the same.
no_qemu_left() {
	local name=rqspin-$kernel-$$ pid
	mkfifo "$out/up"
	("$run" --kernel $kernel --name "$name" -- "echo up; sleep 1000" >"$out/up" 2>/dev/null) &
	pid=$(pgrep -P $! || echo $!)
	read -r -t 120 _ <"$out/up" || return 1
	pgrep -f "qemu-system.*$name" >/dev/null || return 1
	kill -KILL "$pid" && wait 2>/dev/null
	for _ in {1..50}; do
		pgrep -f "qemu-system.*$name" >/dev/null || return 0
		read -r -t 0.1 _ <> <(:)
	done
	return 1
}

# A vng whose first guest stops on its way up.
stopped_once() {
	mkdir "$out/bin"
	cat >"$out/bin/vng" <<-EOF
		#!/bin/sh
		[ -e "$out/second" ] && exec "$(dirname "$run")/../../.venv/bin/vng" "\$@"
		: >"$out/second"
		exec sleep 1000
	EOF
	chmod +x "$out/bin/vng"
	PATH=$out/bin:$PATH RQSPIN_BOOT_LIMIT=60 guest -- 'echo came up; exit 6'
	is_and_says 6 'trying again' && says stdout 'came up'
}

# A QEMU that aborts where it should use KVM, as it does below some hypervisors.
kvm_aborts() {
	local qemu
	qemu=$(command -v qemu-system-x86_64)
	mkdir -p "$out/qemu"
	cat >"$out/qemu/qemu-system-x86_64" <<-EOF
		#!/bin/bash
		[[ " \$* " != *" -accel kvm "* ]] || kill -ABRT \$\$
		exec "$qemu" "\$@"
	EOF
	chmod +x "$out/qemu/qemu-system-x86_64"
	rm -f "$kvm_answer"
}

if ! "$(dirname "$run")/fetch-kernel.sh" $kernel 2>"$out/stderr"; then
	echo "1..0 # SKIP $(tail -n 1 "$out/stderr")"
	exit 0
fi
echo 1..16
scratch=$(dirname "$run")/guest-was-here
kvm_answer=$(dirname "$run")/../../build/vm/kvm # asked anew for this one, and then again
kvm_aborts
PATH=$out/qemu:$PATH guest --cpu tas -- \
	"echo data \$(grep -cw hypervisor /proc/cpuinfo); echo talk >&2; touch $scratch; exit 7"
check "the command's exit status comes back" is 7
rm -f "$kvm_answer"
check "stdout and stderr stay apart, also when KVM aborts" streams_apart
check "what the guest writes stays there" test ! -e "$scratch"
# shellcheck disable=SC2016 # for the guest's shell
guest --cpu queue --cpus 2 -- '! grep -qw hypervisor /proc/cpuinfo && [ "$(nproc)" = 2 ] &&
	mountpoint /sys/fs/bpf && mountpoint /sys/kernel/tracing && ls /sys/kernel/btf/vmlinux'
check "queue CPU, its number, bpffs, tracefs, BTF" is 0
# shellcheck disable=SC2016 # for the guest
guest -- 'grep ^CONFIG_BPF_SYSCALL=y "/boot/config-$(uname -r)" && ls "/boot/vmlinuz-$(uname -r)"'
check "the guest has its kernel and its configuration in /boot" is 0
guest -- 'echo c >/proc/sysrq-trigger'
check "a crash is 125 and shows the console" is_and_says 125 sysrq_handle_crash
guest --timeout 20 -- 'while :; do :; done'
check "a hang is 124" is_and_says 124 'no answer within 20 s'
guest -- 'echo "WARNING: CPU 0 here" >/dev/kmsg'
check "a kernel warning is 126" is_and_says 126 'WARNING: CPU 0 here'
check "the leak of lists is allowed in stock kernels, not in patched ones" leak_is_allowed
check "nothing outlives a killed runner" no_qemu_left
rc=0
"$run" --kernel nonesuch -- true 2>"$out/stderr" || rc=$?
check "an unknown kernel is a usage error" is_and_says 2 "unknown kernel 'nonesuch'"
"$run" --kernel $kernel --cpu fast -- true 2>"$out/stderr" || rc=$?
check "an unknown CPU is a usage error" is_and_says 2 usage
"$run" --kernel $kernel 2>"$out/stderr" || rc=$?
check "no command is a usage error" is_and_says 2 usage
check "a guest that stops on its way up is given up, and the next one runs the command" stopped_once
check "a guest that does not power off is 126 and shows the console" stays_after_answer
guest --kernel running -- 'exit 5'
check "the running kernel needs no guest" is 5
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
