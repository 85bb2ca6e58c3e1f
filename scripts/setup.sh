#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Install what this machine lacks for `make build`, `make test` and `make demo`, and nothing else.
#   scripts/setup.sh           install (root, or through sudo)
#   scripts/setup.sh --build   only what the command and the samples are built with (`make demo`)
#   scripts/setup.sh --check   only list what is missing; exit 1 if anything is
#   scripts/setup.sh --tree    also the source of the patched kernel and what lab and model need
#   scripts/setup.sh --kernel  also that source, and what the kernel is built and checked with
#   scripts/setup.sh --arm64   also what emulated arm64 guests take
#   scripts/setup.sh --fuzz    also what the fuzzers are built with
# `--build --tree` and `--build --kernel` leave out what only tests and guests need.
# Each need is probed by what it must be able to do, so a tool from another source counts too.
# LIBBPF=system asks for the distribution's libbpf instead of fetching the source of one.
# shellcheck disable=SC2016 # $(FIELD) is apt's own syntax
set -euo pipefail
cd "$(dirname "$0")/.."

PATH=$PATH:/usr/sbin:/sbin
VENV=.venv
# shellcheck source=scripts/mirrors.sh
. scripts/mirrors.sh
# shellcheck source=scripts/hold-service.sh
. scripts/hold-service.sh
# shellcheck source=scripts/libbpf.conf
. scripts/libbpf.conf
check_only=0 build_only=0 arm64=0 needs_more=''

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
	printf 'setup: error: %s\n' "$1" >&2
	exit "${2:-1}"
}

can_clang() { scripts/find-clang.sh >/dev/null; }
can_clang_format() { scripts/find-clang.sh clang-format >/dev/null; }
can_cc() { command -v gcc >/dev/null && [ -e /usr/include/stdio.h ]; }
can_tool() { command -v "$1" >/dev/null; }
can_pkg() { pkg-config --exists "$1" 2>/dev/null; }
can_libbpf() { pkg-config --atleast-version=1.3 libbpf 2>/dev/null; }
can_cmocka() { [ -e /usr/include/cmocka.h ]; }
can_debian_key() { [ -e /usr/share/keyrings/debian-archive-keyring.gpg ]; }
can_complete() { [ -e /usr/share/bash-completion/bash_completion ]; }
can_header() { [ -n "$(find /usr/include -path "*/$1" -print -quit)" ]; }
# The packages are for the system's own Python, whichever comes first in PATH.
can_python() { /usr/bin/python3 -c "import $1" 2>/dev/null; }
# A tree made of a source of one's own will do as well.
can_kernel_source() {
	# tree.sh fetches those of other series itself.
	[ "${SERIES:-6.12}" = 6.12 ] || return 0
	compgen -G '/usr/src/linux-source-6.12.tar.*' >/dev/null || [ -e build/linux-6.12/.git ]
}
can_maven() { can_tool mvn || { [ -n "${MAVEN_CENTRAL:-}" ] && can_tool curl; }; }
can_java() { java -version >/dev/null 2>&1; }
# Ubuntu has no package of it that works everywhere: there the test is skipped.
can_browser() {
	can_tool chromium || { [ -r /etc/os-release ] && ! grep -qx 'ID=debian' /etc/os-release; }
}
can_prometheus() { can_tool prometheus && can_tool promtool; }
can_fuzz() {
	local c
	c=$(scripts/find-clang.sh) || return 1
	echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }' |
		"$c" -fsanitize=fuzzer,address -x c - -o /dev/null 2>/dev/null
}
can_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Before 8.1 an emulated CPU could run code that another one was just patching (QEMU's commit
# deba78709a): guests died in the middle of a test. Nothing but the version tells.
can_qemu() {
	local v
	v=$("qemu-system-${1:-x86_64}" --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p') || return 1
	# shellcheck disable=SC2086 # two words on purpose
	set -- $v
	[ $# = 2 ] && { [ "$1" -gt 8 ] || { [ "$1" = 8 ] && [ "$2" -ge 1 ]; }; }
}

# A bpftool older than libbpf 1.4 does not know the sections our objects use. Ubuntu's wrapper
# refuses to run when no tools of the running kernel exist, so the real one is looked up too.
can_bpftool() {
	local b v
	for b in bpftool /usr/lib/linux-tools/*/bpftool; do
		v=$("$b" version 2>/dev/null | sed -n 's/.*libbpf v\([0-9]*\)\.\([0-9]*\).*/\1 \2/p') || continue
		# shellcheck disable=SC2086 # two words on purpose
		set -- $v
		[ $# = 2 ] && { [ "$1" -gt 1 ] || [ "$2" -ge 4 ]; } && return 0
	done
	return 1
}

# purpose | probe | packages on Debian and Ubuntu (a,b: both; a/b: the first that exists there; NN:
# the version of the clang that is here, else the first from 19 on that exists there)
NEEDS='
BPF compiler (clang 19 or newer)|can_clang|clang-NN
C compiler and libc headers|can_cc|gcc,libc6-dev
make|can_tool make|make
pkg-config|can_tool pkg-config|pkg-config
libelf|can_pkg libelf|libelf-dev
zlib|can_pkg zlib|zlib1g-dev
jansson|can_pkg jansson|libjansson-dev
uthash|can_header uthash.h|uthash-dev
HTTP server library|can_pkg libmicrohttpd|libmicrohttpd-dev
ncurses|can_pkg ncursesw|libncurses-dev
bpftool with libbpf 1.4 or newer|can_bpftool|bpftool/linux-tools-generic
'

# For LIBBPF=system.
NEEDS_LIBBPF='
libbpf 1.3 or newer|can_libbpf|libbpf-dev
'

# For tests, guests, lint and the manual page.
NEEDS_TEST='
libbpf headers for programs outside of the tree|can_libbpf|libbpf-dev
formatter for lint|can_clang_format|clang-format-NN
cmocka|can_cmocka|libcmocka-dev
BCC for its tool|can_python bcc|python3-bpfcc
QEMU 8.1 or newer for the kernel guests|can_qemu|qemu-system-x86
busybox for the guest start|can_tool busybox|busybox-static
depmod for the guest modules|can_tool depmod|kmod
xz for kernel modules|can_tool xz|xz-utils
file for virtme-ng|can_tool file|file
process tools for the tests of the guests|can_tool pgrep|procps
patch for the test of the tutorial|can_tool patch|patch
groff for the manual page|can_tool groff|groff-base
completion as users have it|can_complete|bash-completion
zsh for its completion|can_tool zsh|zsh
fish for its completion|can_tool fish|fish
Debian archive key for guest kernels|can_debian_key|debian-archive-keyring
ip for guests and network samples|can_tool ip|iproute2
shell checker|can_tool shellcheck|shellcheck
graphviz for reports|can_tool dot|graphviz
browser for the test of reports|can_browser|chromium
terminal for the test of top|can_tool tmux|tmux
strace for the test of the systemd unit|can_tool strace|strace
jq for the commands of the documents|can_tool jq|jq
Prometheus for the tests of metrics|can_prometheus|prometheus
Python with venv|can_venv|python3-venv
'

# The sources of the patched kernel: `make kernel-tree`.
NEEDS_SOURCE='
Linux 6.12 source|can_kernel_source|linux-source-6.12
Debian archive key for other kernel sources|can_debian_key|debian-archive-keyring
git|can_tool git|git
xz for the source|can_tool xz|xz-utils
'

# For what runs on them: `make lab`, `model`.
NEEDS_TREE='
locks to compare with in the lab|can_header ck_spinlock.h|libck-dev
Python for the model|can_tool python3|python3
Java for the model checker|can_java|default-jre-headless
Maven for the model checker|can_maven|maven
'

# To compile that kernel: `make kernel`, `make kernel-patches-verify`.
NEEDS_KERNEL='
depmod for its modules|can_tool depmod|kmod
flex|can_tool flex|flex
bison|can_tool bison|bison
bc|can_tool bc|bc
pahole for BTF|can_tool pahole|pahole/dwarves
compiler cache|can_tool ccache|ccache
libelf headers for objtool|can_header gelf.h|libelf-dev
libcrypto headers|can_header openssl/evp.h|libssl-dev
rsync|can_tool rsync|rsync
cpio|can_tool cpio|cpio
perl for checkpatch and kernel-doc|can_tool perl|perl
Python modules of spdxcheck|can_python ply,git|python3-ply,python3-git
compiler for arm64|can_tool aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu
sparse to verify a series|can_tool sparse|sparse
'

# For guests of the configuration arm64, and the tests in them.
NEEDS_ARM64='
QEMU 8.1 or newer for arm64 guests|can_qemu aarch64|qemu-system-arm
compiler for arm64|can_tool aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu
Debian archive key for their root|can_debian_key|debian-archive-keyring
'

# For `make fuzz`.
NEEDS_FUZZ='
libFuzzer and sanitizers of clang|can_fuzz|libclang-rt-NN-dev
'

missing_needs() {
	local what probe pkgs
	while IFS='|' read -r what probe pkgs; do
		[ -n "$what" ] || continue
		$probe || printf '%s|%s\n' "$what" "$pkgs"
	done <<<"$NEEDS"
}

venv_ready() {
	[ $build_only = 1 ] && return 0
	[ -x $VENV/bin/vng ] && cmp -s requirements.txt $VENV/requirements.txt
}

libbpf_ready() {
	[ "${LIBBPF:-bundled}" = system ] || [ -e ".cache/libbpf-$LIBBPF_VERSION/src" ]
}

os_release() {
	# shellcheck disable=SC1091
	. /etc/os-release
	printf '%s %s\n' "$ID" "${VERSION_ID:-0}"
}

supported_os() {
	local id ver
	read -r id ver < <(os_release)
	case $id in
	debian) [ "$ver" -ge 12 ] 2>/dev/null ;;
	ubuntu) [ "${ver%%.*}" -ge 24 ] 2>/dev/null ;;
	*) return 1 ;;
	esac
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "need root for: $* (run as root, or install sudo)"
	fi
}

apt_sources() {
	apt-get indextargets --format '$(SITE)' 2>/dev/null | sort -u | paste -sd ' '
}

apt_update() {
	as_root apt-get -qq -o Acquire::Retries=2 update >/dev/null 2>&1 || true
}

has_candidate() {
	local c
	c=$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
	[ -n "$c" ] && [ "$c" != "(none)" ]
}

# Debian 12 is too old for these. They come from its backports, by name, so the low priority of that
# suite leaves everything else as it is. Each package: with which others it is installed.
BACKPORTS='
bpftool libbpf1
libbpf-dev libbpf1
qemu-system-x86 qemu-system-common qemu-system-data seabios
qemu-system-arm qemu-system-common qemu-system-data
'

can_all_qemu() { { [ $build_only = 1 ] || can_qemu; } && { [ $arm64 = 0 ] || can_qemu aarch64; }; }

can_wanted_libbpf() { [ "$build_only ${LIBBPF:-bundled}" = '1 bundled' ] || can_libbpf; }

needs_backports() {
	[ "$(os_release)" = "debian 12" ] && ! { can_wanted_libbpf && can_bpftool && can_all_qemu; }
}

add_backports() {
	local list=/etc/apt/sources.list.d/rqspin-backports.list
	if apt-get indextargets --format '$(RELEASE) $(CODENAME)' 2>/dev/null |
		grep -q bookworm-backports; then
		return 0
	fi
	find_mirror debian || die "$mirror_error"
	say "adding $list (used for bpftool, libbpf and QEMU only)"
	local key=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb [signed-by=$key] $mirror bookworm-backports main" |
		as_root tee $list >/dev/null
}

# Packages from standard input, one per line, to standard output, with the suite for backports.
with_suites() {
	local name companions
	while read -r name; do
		companions=$(sed -n "s/^$name //p" <<<"$BACKPORTS")
		if [ -n "$companions" ]; then
			# shellcheck disable=SC2086 # a list of words
			printf '%s/bookworm-backports\n' "$name" $companions
		else
			echo "$name"
		fi
	done
}

# The NN of packages of clang: they belong together.
clang_version() {
	local c
	if c=$(scripts/find-clang.sh); then
		"$c" --version | sed -n '1s/.*version \([0-9]*\).*/\1/p'
	else
		apt-cache pkgnames clang- | sed -n 's/^clang-\([0-9]*\)$/\1/p' | sort -n |
			awk '$1 >= 19 { print; exit }'
	fi
}

# The package names for the lines of missing_needs, alternatives resolved.
resolve_packages() {
	local what pkgs group alt
	while IFS='|' read -r what pkgs; do
		[[ $pkgs != *NN* ]] || pkgs=${pkgs//NN/$(clang_version)}
		for group in ${pkgs//,/ }; do
			for alt in ${group//\// }; do
				has_candidate "$alt" && break
			done
			has_candidate "$alt" || die "no package of ${group//\// or } for '$what' in $(apt_sources)" 3
			echo "$alt"
		done
	done
}

install_packages() {
	local missing=$1 pkgs
	say "updating the package lists"
	needs_backports && add_backports
	apt_update
	pkgs=$(resolve_packages <<<"$missing")
	! needs_backports || pkgs=$(with_suites <<<"$pkgs")
	pkgs=$(sort -u <<<"$pkgs" | paste -sd ' ')
	say "installing: $pkgs"
	[[ " $pkgs " != *' prometheus '* ]] || hold_service prometheus.service
	# shellcheck disable=SC2086 # a list of words
	as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq -y --no-install-recommends install $pkgs </dev/null >"$log" 2>&1 ||
		die "apt-get could not install them (package source: $(apt_sources)):\
 $(grep -E '^(E|W|Err)' "$log" | tail -n 4)"
	keep_service
}

install_venv() {
	say "creating $VENV with the Python tools of requirements.txt (by pip)"
	rm -rf $VENV
	if python3 -m venv $VENV >"$log" 2>&1 &&
		$VENV/bin/pip -q --disable-pip-version-check install --retries 2 --require-hashes \
			-r requirements.txt >>"$log" 2>&1; then
		cp requirements.txt $VENV/requirements.txt
		return 0
	fi
	rm -rf $VENV
	die "pip could not install requirements.txt (package source: $(pip_source)):\
 $(grep -i error "$log" | tail -n 3)"
}

pip_source() {
	local url
	url=${PIP_INDEX_URL:-$(python3 -m pip config get global.index-url 2>/dev/null)}
	echo "${url:-the index that pip has by default}"
}

list_missing() {
	local what pkgs
	while IFS='|' read -r what pkgs; do
		[[ $pkgs != *NN* ]] || pkgs=${pkgs/NN/19}', or newer'
		[ -n "$what" ] && say "missing: $what (Debian package: ${pkgs//\// or })"
	done <<<"$1"
	libbpf_ready || say "missing: the source of libbpf $LIBBPF_VERSION (scripts/libbpf.sh)"
	venv_ready || say "missing: Python tools in $VENV (requirements.txt)"
	return 0
}

for arg; do
	case $arg in
	--build) build_only=1 ;;
	--check) check_only=1 ;;
	--tree) needs_more+=$NEEDS_SOURCE$NEEDS_TREE ;;
	--kernel) needs_more+=$NEEDS_SOURCE$NEEDS_KERNEL ;;
	--arm64) needs_more+=$NEEDS_ARM64 arm64=1 ;;
	--fuzz) needs_more+=$NEEDS_FUZZ ;;
	*) die "usage: scripts/setup.sh [--build] [--check] [--tree|--kernel] [--arm64] [--fuzz]" 2 ;;
	esac
done
[ $build_only = 1 ] || NEEDS+=$NEEDS_TEST
[ "${LIBBPF:-bundled}" = bundled ] || NEEDS+=$NEEDS_LIBBPF
NEEDS+=$needs_more

# Options share needs.
missing=$(missing_needs | awk -F'|' '!seen[$1]++')
[ -z "$missing" ] && libbpf_ready && venv_ready && exit 0
list_missing "$missing"
[ $check_only = 0 ] || exit 1

log=$(mktemp)
trap 'release_service; rm -f "$log"' EXIT
if [ -n "$missing" ]; then
	supported_os ||
		die "cannot install on this system ($(os_release)); install the above by its own means" 3
	install_packages "$missing"
	missing=$(missing_needs)
	[ -z "$missing" ] || { list_missing "$missing"; die "still missing after the installation"; }
fi
libbpf_ready || scripts/libbpf.sh || exit
venv_ready || install_venv
say "ready"
