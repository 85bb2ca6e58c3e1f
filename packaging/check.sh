# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the tests of packages have in common; sourced.
# shellcheck shell=bash
passed=0 failed=0

check() { # what, command...
	local what=$1
	shift
	if "$@" >/tmp/check.log 2>&1; then
		passed=$((passed + 1))
		echo "ok - $what"
	else
		failed=$((failed + 1))
		echo "not ok - $what"
		grep -E '^\[ *(ERROR|FAILED)|^[EW]: |^error: ' -A 3 /tmp/check.log | sed 's/^/# /' |
			head -n 40 || true
		tail -n 5 /tmp/check.log | sed 's/^/# /'
	fi
}

install_packages() {
	apt-get install -y -q --no-install-recommends "$@" >/tmp/apt.log && return
	cat /tmp/apt.log
	exit 1
}

# They change the system, so it must be one of scripts/fresh-root.sh.
own_root() {
	if [ "${RQSPIN_FRESH_ROOT:-} $PWD" != "1 /root/rqspin" ]; then
		echo "$0: no root of its own; see its first lines" >&2
		exit 2
	fi
	export DEBIAN_FRONTEND=noninteractive
	git config --global --add safe.directory "$PWD"
}

sums() {
	echo "$passed passed, $failed failed, 0 skipped"
	[ $failed = 0 ]
}
