#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Runs inside the guest: guest-run.sh STATE. STATE is shared with the host and holds what to run
# (cmd, mode); stdout, stderr, the exit status and the kernel log go back the same way.
state=$1

timer_interrupts() { awk -v n="$(($1 + 2))" '$1 == "LOC:" { print $n }' /proc/interrupts; }

# Busy on the CPU $1 for up to 0.3 s: does its timer interrupt it? Nothing here needs a timer.
cpu_ticks() {
	local before end
	taskset -pc "$1" $$ >/dev/null
	before=$(timer_interrupts "$1")
	[ -n "$before" ] || return 0
	end=$((${EPOCHREALTIME//[^0-9]/} + 300000))
	while [ "${EPOCHREALTIME//[^0-9]/}" -lt "$end" ]; do
		[ "$(timer_interrupts "$1")" = "$before" ] || return 0
	done
	return 1
}

# Sometimes the emulator starts a CPU that never ends its first timer interrupt (run.sh). The guest
# lives until something sleeps on that CPU. Stop it before the command; the host boots another.
check_timers() {
	local cpu n
	n=$(nproc)
	for ((cpu = 0; cpu < n; cpu++)); do
		cpu_ticks "$cpu" && continue
		echo "guest-run: the timer of CPU $cpu does not tick" | tee /dev/console >"$state/stderr"
		# Where there is no such file the guest ends by itself, or the host ends it.
		{ echo b >/proc/sysrq-trigger; } 2>/dev/null || true
		exit 1
	done
	taskset -pc "0-$((n - 1))" $$ >/dev/null
}

check_timers
: >"$state/started"

finish() {
	dmesg >"$state/dmesg" 2>&1
	# The status last: once it is there, all else is.
	echo "$1" >"$state/rc"
	sync
	exit 0
}

mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
mkdir -p /dev/shm
mountpoint -q /dev/shm || mount -t tmpfs tmpfs /dev/shm

# Programs find the kernel's configuration where a machine of this kernel has it.
mkdir -p /boot && mount -t tmpfs boot /boot && ln -s "$(cat "$state/boot")"/* /boot/

# A root that was made for no particular kernel.
[ ! -e "$state/modules" ] || ln -sfn "$(cat "$state/modules")" /lib/modules/

# The lock picks its slow path by this bit, so a wrong CPU model would test the wrong code; what the
# patched kernel is told comes before that, and it says what it made of it.
if grep -qw hypervisor /proc/cpuinfo; then mode=tas; else mode=queue; fi
! dmesg | grep -q 'rqspinlock: hybrid$' || mode=hybrid
if [ "$mode" != "$(cat "$state/mode")" ]; then
	echo "guest-run: wanted the $(cat "$state/mode") CPU, booted the $mode one" >"$state/stderr"
	finish 125
fi

export RQSPIN_GUEST=1 RQSPIN_LOCK_PATH=$mode TMPDIR=/dev/shm HOME=/root
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd "$(cat "$state/cwd")" || finish 125
bash "$state/cmd" </dev/null >"$state/stdout" 2>"$state/stderr"
finish $?
