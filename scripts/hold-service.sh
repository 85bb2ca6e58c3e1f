# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
# A service that would start when its package is installed, though only the tests use its program:
#   hold_service prometheus.service; trap release_service EXIT; ...; keep_service
# Who calls these has say() and as_root().
held_service=

# One that somebody has masked, or uses, stays as it is.
hold_service() {
	command -v systemctl >/dev/null || return 0
	case $(systemctl is-enabled "$1" 2>/dev/null) in
	'' | not-found) ;;
	*) return 0 ;;
	esac
	held_service=$1
	as_root systemctl -q mask "$1" >/dev/null 2>&1 || held_service=
	[ -z "$held_service" ] || say "masked $1 (systemctl unmask $1 makes it a service again)"
}

# The package was not installed: what it would have started is nobody's business any more.
release_service() {
	[ -z "$held_service" ] || as_root systemctl -q unmask "$held_service" >/dev/null 2>&1 || true
	held_service=
}

keep_service() { held_service=; }
