#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Formatting, line lengths and static checks of every tracked file; --fix fixes what it can.
set -euo pipefail
cd "$(dirname "$0")/.."

fix=0
case ${1:-} in
--fix) fix=1 ;;
'') ;;
*)
	echo "usage: lint.sh [--fix]" >&2
	exit 2
	;;
esac

clang_format=$(scripts/find-clang.sh clang-format) || {
	echo "lint: no clang-format 19 or newer: run make setup" >&2
	exit 1
}
for tool in .venv/bin/ruff shellcheck; do
	command -v $tool >/dev/null || {
		echo "lint: no $tool: run make setup" >&2
		exit 1
	}
done
passed=0 failed=0

# Tracked files and those about to be; never what .gitignore names.
files() {
	git ls-files -co --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done
}

scripts() {
	files '*.sh' '.ci/run' scripts/libbpf.conf
	files scripts selftests .ci | while read -r f; do
		case $f in *.sh | *.py | .ci/run) continue ;; esac
		head -c 64 "$f" | head -n 1 | tr -d '\0' | grep -qE '^#!.*\b(ba)?sh\b' && echo "$f"
	done || true
}

check() {
	local what=$1 out
	shift
	if out=$("$@" 2>&1); then
		passed=$((passed + 1))
		echo "ok - $what"
	else
		failed=$((failed + 1))
		echo "not ok - $what"
		printf '%s\n' "$out" | head -n 60 | sed 's/^/  | /'
	fi
}

# Tables and output (fenced) in Markdown cannot be wrapped.
too_long() {
	local bad
	bad=$(awk '/^ *```/ && FILENAME ~ /\.md$/ { code = !code }
		FNR == 1 { code = 0 }
		length($0) > 100 && !(FILENAME ~ /\.md$/ && (code || /^\|/)) {
			print FILENAME ":" FNR ": " length($0) " columns" }' "$@")
	[ -z "$bad" ] || { printf '%s\nwrap these at 100 columns\n' "$bad"; return 1; }
}

# A verb is known by its table alone, and a main program to nobody.
headers() {
	local f without=()
	for f in $(files 'user/*.c' 'lab/threads/bench/*.c' 'selftests/tool/headers/*.c' \
		'selftests/kernel/runner/*.c'); do
		case $f in
		user/cmd/cmd_* | user/cmd/main.c | user/tests/*) continue ;;
		*/bench.c | */drive.c | */runner.c | */headers/*/*) continue ;;
		esac
		[ -f "${f%.c}.h" ] || without+=("$f")
	done
	[ ${#without[@]} = 0 ] || { printf '%s has no header of its own\n' "${without[@]}"; return 1; }
}

# Packages come from where this machine has them (scripts/mirrors.sh, pip, Maven).
registries() {
	local hosts='(deb|snapshot|security|ports)[.]debian[.]org|(archive|security|ports)[.]ubuntu[.]com'
	hosts+='|[p]ypi[.]|[p]ythonhosted|[m]aven[.](org|apache)|[n]pmjs|[c]rates[.]io'
	! git grep -nE "$hosts"
}

# Toolchains that not everybody has: what is made with them is checked where they are.
unformatted() {
	local bad
	bad=$(gofmt -l "$@") || return 1
	[ -z "$bad" ] || { printf '%s\nrun scripts/lint.sh --fix\n' "$bad"; return 1; }
}

exit_codes() {
	! git grep -nwE 'EXIT_(OK|FAIL|USAGE|UNSUPPORTED|LOST|EVENT)' \
		'user/*.[ch]' ':!user/cmd/cmd_*.c' ':!user/cmd/cmd.h' ':!user/cmd/main.c'
}

mapfile -t c < <(files '*.c' '*.h')
mapfile -t md < <(files '*.md')
mapfile -t sh < <(scripts | sort -u)
mapfile -t go < <(files '*.go')
mapfile -t rs < <(files '*.rs' ':!*/tables.rs')

if [ $fix = 1 ]; then
	"$clang_format" -i "${c[@]}"
	.venv/bin/ruff check -q --fix . || true
	.venv/bin/ruff format -q .
	! command -v gofmt >/dev/null || gofmt -w "${go[@]}"
	! command -v rustfmt >/dev/null || rustfmt --edition 2021 "${rs[@]}"
fi
[ ${#c[@]} = 0 ] ||
	check "clang-format (${#c[@]} files)" "$clang_format" --dry-run -Werror "${c[@]}"
[ ${#sh[@]} = 0 ] || check "shellcheck (${#sh[@]} files)" shellcheck "${sh[@]}"
mapfile -t mk < <(files '*.mk' Makefile)
wide=("${md[@]}" "${sh[@]}" "${mk[@]}")
check "100 columns (${#wide[@]} files)" too_long "${wide[@]}"
! command -v gofmt >/dev/null || check "gofmt (${#go[@]} files)" unformatted "${go[@]}"
! command -v rustfmt >/dev/null ||
	check "rustfmt (${#rs[@]} files)" rustfmt --edition 2021 --check "${rs[@]}"
check "no include circle, no include upwards" python3 scripts/include-circles.py --complete \
	"${c[@]}"
check "functions read noun_verb" python3 scripts/function-names.py "${c[@]}"
check "every X.c has its X.h" headers
check "only verbs know exit codes" exit_codes
check "no host of a package registry" registries
check "ruff check" .venv/bin/ruff check --no-cache .
check "ruff format" .venv/bin/ruff format --no-cache --check .
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
