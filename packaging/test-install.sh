#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build the packages on a machine that has nothing, install, use, upgrade and purge them there. It
# changes the system that it runs on, so it wants a root of its own:
#   scripts/fresh-root.sh bookworm packaging/test-install.sh     # or trixie
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=packaging/check.sh
. packaging/check.sh

own_root
scripts/setup.sh --build
install_packages build-essential dpkg-dev debhelper lintian libcmocka-dev python3 fakeroot xz-utils
check "packages are built, lintian has no complaint" make deb
compgen -G "build/dist/*.deb" >/dev/null || exit 1

first=$(mktemp -d)
cp build/dist/*.deb "$first"
install_packages "$first"/*.deb
conf=/etc/default/rqspin-export
check "the command runs" rqspin --version
check "samples are there" sh -c 'rqspin list | grep -q "^aa "'
check "a sample runs, or the kernel lacks the locks" sh -c 'rqspin run aa || [ $? = 3 ]'
headers() { test -f "$(pkg-config --variable=includedir rqspin)/rqspin/event.h"; }
check "headers are found" headers
check "the manual is there" sh -c 'dpkg -L rqspin | grep -q man8/rqspin.8'
check "the tutorial is there" sh -c 'dpkg -L rqspin-doc | grep -q tutorial.md'
check "the series is there" test -f /usr/share/rqspin/kernel-patches/6.12/series
check "the script for drgn is there" test -f /usr/share/rqspin/contrib/rqspin_locks.py
check "the packages for Go and Rust are there" \
	test -f /usr/share/rqspin/bindings/go/go.mod -a -f /usr/share/rqspin/bindings/rust/Cargo.toml
not_enabled() { ! ls /etc/systemd/system/*/rqspin-*.service; }
check "no service is started" not_enabled
check "the recorder's service is there" test -f /usr/lib/systemd/system/rqspin-record.service

record_options() {
	test -f /etc/default/rqspin-record &&
		grep -qFx "ExecStart=/usr/sbin/rqspin record \$RQSPIN_RECORD" \
			/usr/lib/systemd/system/rqspin-record.service
}
check "the recorder's options can be set" record_options

newer() {
	local work=$first/newer deb
	deb=$(echo "$first"/rqspin_*.deb)
	dpkg-deb -R "$deb" "$work"
	sed -i 's/^Version: .*/&+1/' "$work/DEBIAN/control"
	echo '# a new default' >>"$work$conf"
	dpkg-deb -b "$work" "$first/newer.deb"
}
sed -i 's/9743/9744/' $conf
check "a newer package can be made" newer
check "an upgrade works" dpkg -i --force-confdef --force-confold "$first/newer.deb"
check "an upgrade keeps the configuration" grep -q 9744 $conf
check "everything can be purged" apt-get purge -y 'rqspin*'
left() {
	# Those of the set-up itself are not the packages'.
	find /etc /usr /var/lib -xdev \( -path /var/lib/apt -o -path /etc/apt \) -prune -o \
		-name '*rqspin*' -print
}
nothing_left() { [ -z "$(left | tee /dev/stderr)" ]; }
check "nothing is left" nothing_left
sums
