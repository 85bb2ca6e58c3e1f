#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# scripts/setup.sh on a machine that has everything, lacks one tool, has no network, is unknown.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
n=0 passed=0 failed=0 skipped=0

result() {
	n=$((n + 1))
	case $1 in
	ok) passed=$((passed + 1)) && echo "ok $n - $2" ;;
	skip) skipped=$((skipped + 1)) && echo "ok $n - $2 # SKIP $3" ;;
	*)
		failed=$((failed + 1))
		echo "not ok $n - $2"
		sed 's/^/# /' "$out/err"
		;;
	esac
}

check() {
	local what=$1
	shift
	if "$@"; then result ok "$what"; else result bad "$what"; fi
}

# shellcheck source=scripts/libbpf.conf
. scripts/libbpf.conf

without_network() {
	if unshare -rn true 2>/dev/null; then
		check "$@"
	else
		result skip "$1" "network namespaces are not allowed here"
	fi
}

setup() {
	"$@" >"$out/out" 2>"$out/err"
	rc=$?
}

silent() { [ $rc = 0 ] && [ ! -s "$out/out" ] && [ ! -s "$out/err" ]; }
is_and_says() { [ $rc = "$1" ] && grep -q "$2" "$out/err"; }

# A PATH with everything but one tool.
path_without() {
	local d f
	mkdir -p "$out/bin"
	for d in /usr/local/bin /usr/bin; do
		for f in "$d"/*; do ln -sf "$f" "$out/bin/${f##*/}"; done
	done
	rm -f "$out/bin/$1"
}

copy_tree() {
	mkdir -p "$out/tree/scripts"
	cp scripts/*.sh scripts/libbpf.conf "$out/tree/scripts"
	cp requirements.txt "$out/tree"
}

# What was fetched once serves without a network, and an archive of it, too.
libbpf_is_named() {
	setup "$out/tree/scripts/setup.sh" --build --check
	is_and_says 1 'missing: the source of libbpf'
}

libbpf_without_network() {
	setup unshare -rn "$out/tree/scripts/setup.sh" --build
	is_and_says 3 'LIBBPF_SRC=TARBALL' &&
		! compgen -G "$out/tree/.cache/libbpf[-.]*" | grep -v 'lock$'
}

libbpf_from_archive() {
	tar -C .cache -czf "$out/libbpf.tar.gz" "libbpf-$LIBBPF_VERSION"
	LIBBPF_SRC=$out/libbpf.tar.gz setup "$out/tree/scripts/setup.sh" --build
	[ $rc = 0 ] && diff -r ".cache/libbpf-$LIBBPF_VERSION" "$out/tree/.cache/libbpf-$LIBBPF_VERSION"
}

libbpf_stays() {
	setup unshare -rn "$out/tree/scripts/setup.sh" --build
	silent
}

# One byte is another libbpf.
libbpf_of_others() {
	cp -r ".cache/libbpf-$LIBBPF_VERSION" "$out/libbpf-other"
	echo >>"$out/libbpf-other/src/libbpf.c"
	LIBBPF_SRC=$out/libbpf-other setup "$out/tree/scripts/libbpf.sh"
	is_and_says 1 "libbpf-other is not the source of libbpf $LIBBPF_VERSION"
}

# Where pkg-config finds nothing.
system_libbpf() {
	PKG_CONFIG_LIBDIR=$out LIBBPF=bundled setup "$out/tree/scripts/setup.sh" --build --check
	is_and_says 1 'missing: zlib' && ! grep -q 'missing: libbpf' "$out/err" || return 1
	PKG_CONFIG_LIBDIR=$out LIBBPF=system setup "$out/tree/scripts/setup.sh" --build --check
	is_and_says 1 'missing: libbpf 1.3.*libbpf-dev'
}

venv_without_network() {
	setup unshare -rn "$out/tree/scripts/setup.sh"
	is_and_says 1 'pip could not install.*package source: \(http\|the index that pip has\)' &&
		[ ! -e "$out/tree/.venv" ]
}

unknown_system() {
	sed "s|/etc/os-release|$out/os-release|" scripts/setup.sh >"$out/tree/scripts/setup.sh"
	printf 'ID=plan9\nVERSION_ID=4\n' >"$out/os-release"
	PATH=$out/bin setup "$out/tree/scripts/setup.sh"
	is_and_says 3 'cannot install on this system (plan9 4)' &&
		grep -q 'missing: shell checker' "$out/err"
}

# Neither lint tools nor Python; a compiler, though.
build_needs_less() {
	PATH=$out/bin setup "$out/tree/scripts/setup.sh" --build && silent || return 1
	mkdir -p "$out/bare"
	ln -sf "$out"/bin/* "$out/bare"
	rm -f "$out/bare/gcc"
	PATH=$out/bare setup "$out/tree/scripts/setup.sh" --build --check
	is_and_says 1 'missing: C compiler' && ! grep -q Python "$out/err"
}

echo 1..14
setup scripts/setup.sh
check "nothing missing: silent, status 0" silent
setup scripts/setup.sh --frob
check "an unknown option is a usage error" is_and_says 2 usage
path_without shellcheck
PATH=$out/bin setup scripts/setup.sh --check
check "--check names what is missing and its package" \
	is_and_says 1 'missing: shell checker.*shellcheck'
rm -f "$out/bin/qemu-system-aarch64"
PATH=$out/bin setup scripts/setup.sh --check --arm64
check "--arm64 asks for its emulator, too" is_and_says 1 'missing: QEMU.* arm64 .*qemu-system-arm'
copy_tree
setup "$out/tree/scripts/setup.sh" --check
check "a missing venv is named" is_and_says 1 'missing: Python tools in .venv'
check "the missing source of libbpf is named" libbpf_is_named
without_network "no network: what to do for libbpf, no half source" libbpf_without_network
check "LIBBPF_SRC: from an archive" libbpf_from_archive
without_network "libbpf was fetched: no network needed" libbpf_stays
check "LIBBPF_SRC: another libbpf is refused" libbpf_of_others
check "LIBBPF=system asks for the package" system_libbpf
rm -f "$out"/bin/python3
check "--build asks for a compiler, not for lint tools and Python" build_needs_less
without_network "no network: the source is named, no half venv stays" venv_without_network
check "an unknown system gets the list and status 3" unknown_system
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
