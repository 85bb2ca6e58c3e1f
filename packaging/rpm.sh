#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build the RPM packages of a source archive that `make dist` has made, beside it: rpm.sh ARCHIVE
# What the spec file demands is looked up among installed RPM packages. Where there are none, as on
# Debian, it must be there all the same, and macros of other distributions get their usual values.
set -euo pipefail

die() {
	printf 'rpm: %s\n' "$1" >&2
	exit "${2:-1}"
}

[ $# = 1 ] || die "usage: rpm.sh ARCHIVE" 2
[ -f "$1" ] || die "$1: no such file: run make dist"
command -v rpmbuild >/dev/null || die "no rpmbuild: install rpm-build (Debian: rpm)"
archive=$(readlink -f "$1")
out=$(dirname "$archive")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

options=(--define "_topdir $work" --define "_rpmdir $out" --define "_srcrpmdir $out")
options+=(--define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm")
define() { # name, value: unless the distribution has it
	[[ $(rpm --eval "%{$1}") != "%{$1}" ]] || options+=(--define "$1 $2")
}
define _unitdir /usr/lib/systemd/system
define _docdir /usr/share/doc
for macro in systemd_post systemd_preun systemd_postun systemd_postun_with_restart; do
	[[ $(rpm --eval "%$macro x") != "%$macro x" ]] || options+=(--define "$macro() %{nil}")
done
if ! command -v dnf zypper >/dev/null; then
	options+=(--nodeps --define "_prefix /usr" --define "_sysconfdir /etc")
	options+=(--define "_includedir /usr/include" --define "_mandir /usr/share/man")
	options+=(--define "_datadir /usr/share" --define "dist %{nil}")
fi
rpmbuild -ta "${options[@]}" "$archive"
ls "$out"/*.rpm
