#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests of include/rqspin: what must compile does (with each clang here, and with a vmlinux.h of a
# kernel without the locks), what must not compile or load says why, examples of docs/ and messages
# of docs/headers.md are real, and the programs load and do what they should. After make build.
set -euo pipefail
cd "$(dirname "$0")/../../.."

out=${O:-build}
bpftool=${BPFTOOL:-$(PATH=$PATH:/usr/sbin command -v bpftool)}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0 skipped=0

flags=(-g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Wno-unused-parameter -Iinclude
	"-I$out/libbpf/include" -Iselftests/tool/headers/ok \
	-idirafter "/usr/include/$(uname -m)-linux-gnu")

ok() {
	passed=$((passed + 1))
	printf 'ok - %s\n' "$1"
}

not_ok() { # name, file with the details
	failed=$((failed + 1))
	printf 'not ok - %s\n' "$1"
	sed 's/^/# /' "$2" | head -20
}

skip() {
	skipped=$((skipped + 1))
	printf 'ok - %s # SKIP %s\n' "$1" "$2"
}

# Each header alone after vmlinux.h, and all together.
header_sources() {
	local h name all="$tmp/all.bpf.c"
	: >"$all"
	for h in include/rqspin/res_*.bpf.h; do
		name=$(basename "$h" .bpf.h)
		{
			printf '#include "vmlinux.h"\n#include <bpf/bpf_helpers.h>\n'
			printf '#include <rqspin/%s.bpf.h>\n' "$name"
		} >"$tmp/$name.bpf.c"
		# The fallback stands in for the kernel's lock: it has its own line below.
		[ "$name" = res_spin_fallback ] || cat "$tmp/$name.bpf.c" >>"$all"
	done
	{
		printf '#include "vmlinux.h"\n#include <rqspin/res_spin_fallback.bpf.h>\n'
		printf 'RES_FALLBACK_DEFINE;\n'
		cat "$all"
	} >"$tmp/all_on_fallback.bpf.c"
}

# The running kernel's vmlinux.h as a kernel before 6.15 would have it.
strip_vmlinux() {
	mkdir -p "$tmp/old"
	sed -e '/^struct bpf_res_spin_lock {/,/^}/d' -e '/^extern .*bpf_res_spin_/d' \
		-e '/^struct rqspinlock_held {/,/^}/d' -e '/^extern .*bpf_rdonly_cast/d' \
		"$out/vmlinux.h" >"$tmp/old/vmlinux.h"
}

compiles() { # name, compiler, source, flags...
	local name=$1 cc=$2 source=$3
	shift 3
	if "$cc" "${flags[@]}" -Werror "$@" -c "$source" -o "$tmp/o.bpf.o" 2>"$tmp/log"; then
		ok "$name"
	else
		not_ok "$name" "$tmp/log"
	fi
}

refused() { # name, expected error, source, flags...
	local name=$1 want=$2 source=$3
	shift 3
	if "$clang" "${flags[@]}" "$@" -c "$source" -o "$tmp/o.bpf.o" 2>"$tmp/log"; then
		echo "it compiled" >>"$tmp/log"
		not_ok "$name" "$tmp/log"
	elif grep -E "error: .*($want)" "$tmp/log" >/dev/null; then
		ok "$name"
	else
		echo "expected: $want" >>"$tmp/log"
		not_ok "$name" "$tmp/log"
	fi
}

test_compilers() {
	local cc f seen=0
	for cc in $(compgen -c clang- | grep -xE 'clang-(1[4-9]|[2-9][0-9])' | sort -u); do
		seen=$((seen + 1))
		for f in "$tmp"/*.bpf.c selftests/tool/headers/ok/*.bpf.c; do
			compiles "$cc: $(basename "$f")" "$cc" "$f" "-I$out"
		done
	done
	[ $seen -gt 0 ] || skip "compilers" "no clang-14 or newer here: apt install clang-19"
}

test_old_vmlinux() {
	local f
	for f in "$tmp"/*.bpf.c selftests/tool/headers/ok/*.bpf.c; do
		compiles "vmlinux.h without the locks: $(basename "$f")" "$clang" "$f" \
			"-I$tmp/old" -DRQSPIN_NEED_TYPES
	done
	refused "vmlinux.h without the locks, types not asked for" \
		"incomplete type 'struct bpf_res_spin_lock'" "$tmp/res_spin_lock.bpf.c" "-I$tmp/old"
	refused "vmlinux.h with the locks, types asked for" \
		"redefinition of 'bpf_res_spin_lock'" "$tmp/res_spin_lock.bpf.c" "-I$out" -DRQSPIN_NEED_TYPES
}

# Without -Werror, as a user's build may be; system headers, as installed ones may be.
test_refused() {
	local f want
	for f in selftests/tool/headers/fail/*.bpf.c; do
		want=$(sed -n '1s|^// error: ||p' "$f")
		refused "refused: $(basename "$f")" "${want:?no error line in $f}" "$f" "-I$out"
	done
	refused "refused: unused_lock with installed headers" "ignoring return value" \
		selftests/tool/headers/fail/unused_lock.bpf.c "-I$out" -isystem include
}

# Each block of C there is a whole file.
test_doc_examples() {
	local f page
	mkdir -p "$tmp/doc"
	for page in headers howto-failures howto-port; do
		awk -v name="$tmp/doc/$page" '/^```c$/ { n++; on = 1; next } /^```$/ { on = 0 }
			on { print >(name n ".bpf.c") }' "docs/$page.md"
		if [ ! -e "$tmp/doc/${page}1.bpf.c" ]; then
			echo "docs/$page.md has no block of C" >"$tmp/log"
			not_ok "docs/$page.md: examples" "$tmp/log"
		fi
	done
	for f in "$tmp"/doc/*.bpf.c; do
		compiles "example of $(basename "$f" .bpf.c)" "$clang" "$f" "-I$out"
		cp "$tmp/o.bpf.o" "$tmp/doc/$(basename "$f" .bpf.c).bpf.o"
	done
}

# What libbpf and the verifier refuse: with the message that docs/headers.md lists.
test_messages() {
	local f want name pin=/sys/fs/bpf/rqspin-headers-$$
	for f in selftests/tool/headers/load/*.bpf.c; do
		name="message: $(basename "$f" .bpf.c)"
		want=$(sed -n '1s|^// error: ||p' "$f")
		if ! "$clang" "${flags[@]}" -Werror "-I$out" -c "$f" -o "$tmp/o.bpf.o" 2>"$tmp/log"; then
			not_ok "$name" "$tmp/log"
		elif "$bpftool" prog loadall "$tmp/o.bpf.o" $pin >"$tmp/log" 2>&1; then
			rm -r $pin
			echo "it loaded" >>"$tmp/log"
			not_ok "$name" "$tmp/log"
		elif ! grep -E "${want:?no error line in $f}" "$tmp/log" >/dev/null; then
			echo "expected: $want" >>"$tmp/log"
			not_ok "$name" "$tmp/log"
		elif ! grep -E "\`.*$want" docs/headers.md >/dev/null; then
			echo "docs/headers.md does not list: $want" >"$tmp/log"
			not_ok "$name" "$tmp/log"
		else
			ok "$name"
		fi
	done
}

test_programs() {
	local line
	if [ "$(id -u)" != 0 ]; then
		skip "programs" "loading needs root"
		return
	fi
	if "$bpftool" btf dump file /sys/kernel/btf/vmlinux |
		grep "FUNC 'bpf_res_spin_lock'" >/dev/null; then
		test_messages
	else
		skip "messages" "this kernel has no bpf_res_spin_lock"
	fi
	timeout 200 "$out/selftests/tool/headers/drive" "$out"/selftests/tool/headers/ok/*.bpf.o \
		"$tmp"/doc/*.bpf.o >"$tmp/drive" 2>"$tmp/drive.err" || true
	tail -n 40 "$tmp/drive.err" | sed 's/^/# /'
	while read -r line; do
		case $line in
		*'# SKIP'*) skipped=$((skipped + 1)) ;;
		'ok '*) passed=$((passed + 1)) ;;
		'not ok '*) failed=$((failed + 1)) ;;
		*) continue ;;
		esac
		printf '%s\n' "$line" | sed -E 's/^(ok|not ok) [0-9]+ /\1 /'
	done <"$tmp/drive"
	if ! grep -Eq '^[0-9]+ passed, ' "$tmp/drive"; then
		echo "the driver did not finish" >"$tmp/log"
		not_ok "programs ran to the end" "$tmp/log"
	fi
}

clang=$(scripts/find-clang.sh || scripts/find-clang.sh clang 18 || echo clang)
header_sources
strip_vmlinux
test_compilers
test_old_vmlinux
test_refused
test_doc_examples
test_programs
printf '1..%d\n' $((passed + failed + skipped))
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
