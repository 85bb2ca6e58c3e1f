#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Formatting and static checks of every tracked file; --fix repairs what can be repaired.
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

clang_format=$(command -v clang-format-{19,20,21,22} | head -n 1) || {
	echo "lint: no clang-format: run scripts/setup.sh" >&2
	exit 1
}
passed=0 failed=0

# Tracked files and those about to be; never what .gitignore names.
files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [ -f "$f" ] && echo "$f"; done; }

scripts() {
	files '*.sh' '.ci/run'
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

mapfile -t c < <(files '*.c' '*.h')
mapfile -t sh < <(scripts | sort -u)

if [ $fix = 1 ]; then
	"$clang_format" -i "${c[@]}"
	.venv/bin/ruff check -q --fix . || true
	.venv/bin/ruff format -q .
fi
[ ${#c[@]} = 0 ] || check "clang-format (${#c[@]} files)" "$clang_format" --dry-run -Werror "${c[@]}"
[ ${#sh[@]} = 0 ] || check "shellcheck (${#sh[@]} files)" shellcheck "${sh[@]}"
check "ruff check" .venv/bin/ruff check --no-cache .
check "ruff format" .venv/bin/ruff format --no-cache --check .
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
