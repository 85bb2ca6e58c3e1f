#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Run a command in a guest that boots a kernel of kernels.conf and sees this machine's files
# (read-only below a throw-away layer; the current directory is the same).
#   selftests/vm/run.sh --kernel NAME [--cpu queue|tas|hybrid] [--cpus N] [--mem 2G] [--timeout S]
#                       [--name N] -- COMMAND...
#   selftests/vm/run.sh --kernel NAME --shell
# Exit status: the command's; 2 usage; 3 kernel cannot be fetched; 124 time limit; 125 guest died or
# did not come up; 126 the command passed but the kernel log shows a fault, or the guest did not
# power off. stdout and stderr of the command arrive on stdout and stderr, live. RQSPIN_ACCEL=tcg:
# emulated even where KVM works.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
top=$(readlink -f "$here/../..")
# shellcheck source=selftests/vm/kernel-log.sh
. "$here/kernel-log.sh"
kernel='' name='' cpu=queue cpus=4 mem=2G limit=600 shell=0
# Seconds from power-on to the command; twice that at a second try.
boot_limit=${RQSPIN_BOOT_LIMIT:-120}
# And from its answer to its end.
end_limit=60
PATH=$PATH:/usr/sbin:/sbin:$top/.venv/bin

die() {
	printf 'vm: %s\n' "$1" >&2
	exit "${2:-1}"
}

usage() {
	die "usage: run.sh --kernel NAME [--cpu queue|tas|hybrid] [--cpus N] [--mem 2G] [--timeout S] \
(--shell | -- COMMAND...)" 2
}

parse_args() {
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel | --cpu | --cpus | --mem | --timeout | --name) [ $# -gt 1 ] || usage ;;
		esac
		case $1 in
		--kernel) kernel=$2 && shift ;;
		--cpu) cpu=$2 && shift ;;
		--cpus) cpus=$2 && shift ;;
		--mem) mem=$2 && shift ;;
		--timeout) limit=$2 && shift ;;
		--name) name=$2 && shift ;;
		--shell) shell=1 ;;
		--) shift && break ;;
		*) usage ;;
		esac
		shift
	done
	[[ $cpu =~ ^(queue|tas|hybrid)$ && -n $kernel ]] || usage
	command=("$@")
	[ $shell = 1 ] || [ ${#command[@]} -gt 0 ] || usage
}

# /dev/kvm may exist and still run no kernel. Booting one until it misses its root file system says
# for sure; the answer holds until this machine boots again.
probe_kvm() {
	local id log cache=$top/build/vm/kvm
	[ -w /dev/kvm ] || return 1
	id=$(cat /proc/sys/kernel/random/boot_id)
	[ "$(cut -d' ' -f1 "$cache" 2>/dev/null)" = "$id" ] && { grep -q ' yes$' "$cache"; return; }
	log=$(mktemp)
	# The outer redirection: without it bash itself says "Aborted" when QEMU cannot use KVM.
	{
		timeout -k 2 20 qemu-system-x86_64 -accel kvm -cpu host -m 512M -nodefaults \
			-display none -no-reboot -serial stdio -kernel "$image" \
			-append "console=ttyS0 panic=-1" </dev/null >"$log" 2>&1 || true
	} 2>/dev/null
	mkdir -p "${cache%/*}"
	if grep -q 'Unable to mount root fs' "$log"; then echo "$id yes"; else echo "$id no"; fi >"$cache"
	rm -f "$log"
	grep -q ' yes$' "$cache"
}

cpu_model() {
	case $arch-$accel-$cpu in
	x86-tcg-queue) echo max,-hypervisor ;;
	x86-tcg-tas | x86-tcg-hybrid) echo max ;;
	x86-kvm-queue) echo host,-hypervisor ;;
	x86-kvm-tas) echo host,kvm-pv-unhalt=off ;;
	x86-kvm-hybrid) echo host ;;
	# The architecture's own signatures of return addresses are slow to emulate.
	arm64-*) echo max,pauth-impdef=on ;;
	esac
}

# Which machine the kernel is for, and what is needed when it is not this one's kind.
pick_arch() {
	arch=x86
	grep -qs '^CONFIG_ARM64=y' "$top/build/kernels/$kernel"/boot/config-* || return 0
	arch=arm64
	[ "$cpu" = queue ] || die "arm64 has the queue only" 2
	command -v qemu-system-aarch64 >/dev/null ||
		die "qemu-system-aarch64 is missing: run scripts/setup.sh --arm64" 3
	"$here/arm64-root.sh" || exit 3
}

# Sets args, for a guest that can write to the folder $1, and inside, its path there.
vng_args() {
	inside=$1
	# Without tsc=reliable a busy host makes the guest fall back to a clock that is slow to read. A
	# task that an emulated CPU is kept from for 21 s by its timers is no stall yet; a minute is.
	local append='tsc=reliable rcupdate.rcu_cpu_stall_timeout=60'
	# Emulation has no hypervisor that kicks: the kernel halts its CPUs itself, and sends IPIs.
	[ "$cpu" != hybrid ] || append+=' rqspinlock=hybrid'
	args=(--run "$image" --name "${name:-rqspin-$kernel}" --cpus "$cpus" --memory "$mem" --force-9p
		--append "$append" --qemu-opts="-cpu $(cpu_model)")
	[ $accel = kvm ] || args+=(--disable-kvm)
	if [ $arch = x86 ]; then
		args+=(--overlay-rwdir="$top" --rwdir="$1")
	else
		# This machine's programs are of no use there: this tree only, below a root for its kind. A
		# folder inside what is mounted later would be hidden.
		inside=/mnt
		args+=(--arch "$arch" --root "$top/build/$arch-root" --rodir="$top=$top" --rwdir="/mnt=$1")
	fi
}

# Whatever ends this script, SIGKILL included, ends the guest: it lives in a PID namespace whose
# init dies with us.
leash() {
	if [ "$(id -u)" = 0 ]; then
		exec setpriv --pdeathsig KILL unshare --pid --fork --kill-child "$@"
	fi
	exec setpriv --pdeathsig KILL "$@"
}

run_shell() {
	vng_args "$top/build"
	exec vng "${args[@]}"
}

# One word is a shell command line, several are a command and its arguments.
command_text() {
	if [ ${#command[@]} = 1 ]; then
		printf '%s\n' "${command[0]}"
	else
		printf '%q ' "${command[@]}"
	fi
}

prepare_state() {
	mkdir -p "$top/build/vm"
	state=$(mktemp -d "$top/build/vm/run.XXXXXX")
	command_text >"$state/cmd"
	pwd >"$state/cwd"
	echo "$cpu" >"$state/mode"
	echo "$top/build/kernels/$kernel/boot" >"$state/boot"
	[ $arch = x86 ] || echo "$top/build/kernels/$kernel"/lib/modules/* >"$state/modules"
	: >"$state/stdout"
	: >"$state/stderr"
}

# As root the leash takes QEMU along; else timeout, which replaced it, leads a group.
kill_guest() {
	kill -KILL "$1" 2>/dev/null || true
	kill -KILL -- "-$1" 2>/dev/null || true
}

# Ends the guest $1 unless it has come as far as the command in $2 seconds.
expect_start() {
	local end=$((SECONDS + $2))
	while [ ! -e "$state/started" ]; do
		kill -0 "$1" 2>/dev/null || return 0
		[ $SECONDS -lt $end ] || { kill_guest "$1"; return 0; }
		sleep 0.5
	done
}

# Ends the guest $1 if it is still there a minute after its answer: other guests wait for its turn,
# and what it had to say is on the console. A kernel that cannot end is broken, whatever the answer.
expect_end() {
	local end=''
	while kill -0 "$1" 2>/dev/null; do
		[ -n "$end" ] || [ ! -s "$state/rc" ] || end=$((SECONDS + end_limit))
		[ "$SECONDS" -lt "${end:-$((SECONDS + 1))}" ] || {
			: >"$state/stuck"
			kill_guest "$1"
			return 0
		}
		sleep 0.5
	done
}

boot() {
	: >"$state/stderr" # what an earlier try left there has been told
	vng_args "$state"
	(leash timeout -k 5 "$limit" vng "${args[@]}" --verbose \
		--exec "bash $here/guest-run.sh $inside" </dev/null >"$state/console" 2>&1 8>&-) &
	guest=$!
	expect_start $guest "$1" &
	expect_end $guest &
	tail -qn +1 -s 0.2 -f --pid=$guest "$state/stdout" 2>/dev/null &
	local out=$!
	tail -qn +1 -s 0.2 -f --pid=$guest "$state/stderr" >&2 2>/dev/null &
	vng_rc=0
	wait $guest || vng_rc=$?
	guest=''
	wait $out || true
	wait
}

# Guests that fight for this machine's CPUs fail every test that knows about time: one at a time for
# each pair of CPUs, across all callers of one user, also those of other trees. The time limit
# starts afterwards.
take_turn() {
	local n=$(($(nproc) / 2)) i turns=${XDG_RUNTIME_DIR:-$top/build/vm}
	[ "$(id -u)" != 0 ] || turns=/run/rqspin-vm
	mkdir -p "$turns"
	for ((i = 1; i < n; i++)); do
		exec 8>"$turns/rqspin-turn.$i"
		flock -n 8 && return 0
	done
	exec 8>"$turns/rqspin-turn.0"
	flock -n 8 && return 0
	echo "vm: waiting for another guest to end" >&2
	flock 8
}

# An emulated CPU can be dead from the start: it never ends its first timer interrupt, and takes no
# other (seen with QEMU 10.0, once in some forty guests). Such a guest stops during its start, or
# guest-run.sh finds out and gives it up. That says nothing about the command, which has not begun.
boot_retry() {
	local try
	for try in 1 2 3; do
		boot $((boot_limit * try))
		[ ! -e "$state/started" ] && [ "$vng_rc" != 124 ] || return 0
		[ $try = 3 ] || echo "vm: the guest did not come up, trying again" >&2
	done
}

# shellcheck disable=SC2317 # called by the trap
stop_guest() {
	[ -z "${guest:-}" ] || kill_guest "$guest"
	[ -z "${state:-}" ] || [ -n "${KEEP:-}" ] || rm -rf "$state"
}

# shellcheck disable=SC2317 # called by the trap
stop_early() {
	[ -z "${guest:-}" ] || console_tail "the guest is stopped before its end"
	exit 143
}

console_tail() {
	printf 'vm: %s: last lines of its console:\n' "$1" >&2
	tr -d '\r' <"$state/console" | tail -n 40 | sed 's/^/  | /' >&2
}

kernel_faults() {
	cat "$state/dmesg" "$state/console" 2>/dev/null | log_faults
}

report() {
	local rc faults
	if [ ! -s "$state/rc" ]; then
		[ "$vng_rc" = 124 ] && { console_tail "no answer within $limit s"; exit 124; }
		console_tail "the guest ended without an answer (status $vng_rc)"
		exit 125
	fi
	rc=$(cat "$state/rc")
	faults=$(kernel_faults || true)
	[ ! -e "$state/stuck" ] ||
		console_tail "the guest did not power off within $end_limit s of its answer"
	[ -z "$faults" ] || printf 'vm: the guest kernel complained:\n%s\n' "$faults" >&2
	[ ! -e "$state/stuck" ] && [ -z "$faults" ] || [ "$rc" != 0 ] || rc=126
	exit "$rc"
}

# One function, so that an edit of this file cannot reach a guest that is under way.
main() {
	parse_args "$@"
	if [ "$kernel" = running ]; then
		[ $shell = 0 ] || die "the running kernel needs no guest" 2
		exec timeout -k 5 "$limit" bash -c "$(command_text)"
	fi
	command -v vng >/dev/null || die "vng is missing: run scripts/setup.sh" 3
	"$here/fetch-kernel.sh" "$kernel" || { rc=$?; [ $rc = 2 ] && exit 2; exit 3; }
	image=$(echo "$top/build/kernels/$kernel"/boot/vmlinuz-*)
	pick_arch
	accel=tcg
	[ $arch = x86 ] && [ "${RQSPIN_ACCEL:-}" != tcg ] && probe_kvm && accel=kvm
	[ $shell = 0 ] || run_shell
	trap stop_guest EXIT
	trap 'exit 130' INT
	trap stop_early TERM
	prepare_state
	take_turn
	boot_retry
	report
}

main "$@"
