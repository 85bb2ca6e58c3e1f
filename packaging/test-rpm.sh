#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build the RPM packages, install, use, upgrade and erase them. Debian's rpm does that here, in a
# folder, with a database of its own; what the packages require of a distribution is not looked up.
#   scripts/fresh-root.sh bookworm packaging/test-rpm.sh
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packaging/check.sh
. packaging/check.sh

own_root
scripts/setup.sh --build
install_packages rpm libcmocka-dev python3 file xz-utils
check "packages are built" make rpm
[ $failed = 0 ] || exit 1

root=$(mktemp -d)
# Nothing but the packages is in that folder, no shell either.
rpm_there() { rpm --root "$root" --nodeps --noscripts "$@"; }
packages=()
for p in build/dist/*.rpm; do
	[[ $p == *.src.rpm ]] || packages+=("$p")
done
check "there are four packages" test ${#packages[@]} = 4
rpm --root "$root" --initdb
check "they can be installed" rpm_there -i "${packages[@]}"
check "the command runs" "$root/usr/sbin/rqspin" --version
there=$root/usr/lib/rqspin/progs
check "a sample runs, or the kernel lacks the locks" \
	sh -c "RQSPIN_PROGS_DIR=$there '$root/usr/sbin/rqspin' run aa || [ \$? = 3 ]"
check "/usr/share/man/man8/rqspin.8 is there" compgen -G "$root/usr/share/man/man8/rqspin.8*"
for f in usr/include/rqspin/event.h usr/share/pkgconfig/rqspin.pc \
	usr/share/doc/rqspin/tutorial.md usr/share/rqspin/kernel-patches/6.12/series \
	usr/share/rqspin/contrib/rqspin_locks.py \
	usr/share/rqspin/bindings/go/go.mod usr/share/rqspin/bindings/rust/Cargo.toml \
	usr/lib/systemd/system/rqspin-export.service \
	usr/lib/systemd/system/rqspin-record.service etc/sysconfig/rqspin-record; do
	check "/$f is there" test -f "$root/$f"
done
whole() { readelf -SW "$there/aa.bpf.o" | grep -F .BTF.ext; }
check "the samples have their types and lines" whole

conf=$root/etc/sysconfig/rqspin-export
sed -i 's/9743/9744/' "$conf"
newer() {
	sed -i 's/^Release: .*/Release: 2/' packaging/rpm/rqspin.spec
	git -c user.name=t -c user.email=t@t commit -qam "a newer package"
	make rpm
}
check "a newer package can be made" newer
check "an upgrade works" rpm_there -U build/dist/rqspin-*-2.*.rpm
check "an upgrade keeps the configuration" grep -q 9744 "$conf"
check "everything can be erased" rpm_there -e rqspin rqspin-devel rqspin-doc rqspin-kernel-patches
nothing_left() { [ -z "$(find "$root" -name '*rqspin*' ! -name '*.rpmsave' | tee /dev/stderr)" ]; }
check "nothing is left but the changed configuration" nothing_left
sums
