#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Which kernel fetch-kernel.sh takes where several suites have one, and what it says of suites that
# it cannot look at. Suites and packages are made here; nothing is fetched.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
tree=$out/tree kernels=$out/tree/build/kernels mirror=http://mirror.test/debian
n=0 passed=0 failed=0

check() {
	local what=$1
	shift
	n=$((n + 1))
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/# /' "$out/said"
	fi
}

copy_tree() {
	mkdir -p "$tree/selftests/vm" "$tree/scripts" "$out/bin" "$out/suites"
	cp selftests/vm/fetch-kernel.sh "$tree/selftests/vm"
	cp scripts/{mirrors,private-apt}.sh "$tree/scripts"
	cat >"$tree/selftests/vm/kernels.conf" <<-CONF
		one    | near          | debian | linux-image-amd64
		7.3    | near,far      | debian | linux-image-7.3*-amd64
		newest | near,far,rare | debian | linux-image-amd64
	CONF
}

# An apt of suites that are files of lines "IMAGE VERSION"; one without a file cannot be reached.
fake_apt() {
	cat >"$out/bin/apt-get" <<-'APT'
		#!/bin/bash
		suite=$(sed 's/.* \([a-z]*\) main$/\1/' "${2%/*}/sources.list")
		for command; do [[ $command =~ ^(update|download)$ ]] && break; done
		case $command in
		update) [ -e "$SUITES/$suite" ] || { echo "E: no such host" >&2; exit 100; } ;;
		download)
			echo "${!#}" >>"$SUITES/../downloads"
			v=${!#} && v=${v#linux-image-}
			mkdir -p p/DEBIAN p/boot "p/lib/modules/$v/kernel"
			touch "p/boot/vmlinuz-$v" "p/boot/config-$v" "p/lib/modules/$v/modules".{order,builtin}
			{
				echo "Package: ${!#}"
				printf '%s: x <x@y>\n' Maintainer Description
				printf '%s\n' 'Version: 1' 'Architecture: all'
			} >p/DEBIAN/control
			dpkg-deb -b p "${!#}_1_amd64.deb" >/dev/null && rm -rf p
			;;
		esac
	APT
	cat >"$out/bin/apt-cache" <<-'APT'
		#!/bin/bash
		suite=$(sed 's/.* \([a-z]*\) main$/\1/' "${2%/*}/sources.list")
		case "$*" in
		*pkgnames*) cut -d' ' -f1 "$SUITES/$suite" ;;
		*depends*) echo " Depends: $(tail -n 1 "$SUITES/$suite" | cut -d' ' -f1)" ;;
		*show*linux-image*) sed -n "s/^${!#} /Version: /p" "$SUITES/$suite" ;;
		*) exit 100 ;;
		esac
	APT
	chmod +x "$out/bin"/*
}

suite() { printf '%s\n' "${@:2}" >"$out/suites/$1"; }

fetch() {
	SUITES=$out/suites DEBIAN_MIRROR=$mirror PATH=$out/bin:$PATH \
		"$tree/selftests/vm/fetch-kernel.sh" "$@" >"$out/said" 2>&1
	rc=$?
}

is() { [ "$rc" = 0 ] && [ "$(cat "$kernels/$1/IMAGE")" = "$2" ]; }
says() { grep -qE "$1" "$out/said"; }
downloads() { [ "$(wc -l <"$out/downloads")" = "$1" ]; }
shared() { [ "$kernels/$1/boot/vmlinuz-$3" -ef "$kernels/$2/boot/vmlinuz-$3" ]; }
has_config() { [ -e "$kernels/$1/boot/config-$2" ]; }
a_day_later() { touch -d '2 days ago' "$kernels/$1/SUITES"; }

copy_tree
fake_apt
suite near 'linux-image-7.3.10+deb14-amd64 7.3.10-1'
suite far 'linux-image-7.3.9+deb13-amd64 7.3.9-1~bpo13+1'
suite rare 'linux-image-7.3-amd64 7.3~rc7-1~exp1'
echo 1..19
fetch newest
check "the newest version wins, a release candidate is older" is newest \
	'linux-image-7.3.10+deb14-amd64 7.3.10-1'
check "what each suite has is kept" grep -qx 'rare: linux-image-7.3-amd64 7.3~rc7-1~exp1' \
	"$kernels/newest/SUITES"
check "the configuration is beside the kernel" has_config newest 7.3.10+deb14-amd64
fetch one
check "the same image under another name" is one 'linux-image-7.3.10+deb14-amd64 7.3.10-1'
check "... is said" says 'is here as newest'
check "... shares the files" shared one newest 7.3.10+deb14-amd64
check "... and is fetched once" downloads 1
suite rare 'linux-image-7.4-amd64 7.4~rc1-1~exp1'
fetch newest
check "on the same day nobody looks again" is newest 'linux-image-7.3.10+deb14-amd64 7.3.10-1'
a_day_later newest
fetch newest
check "a day later a newer one is found" is newest 'linux-image-7.4-amd64 7.4~rc1-1~exp1'
rm "$out/suites/rare"
a_day_later newest
fetch newest
check "a suite that is gone is said" says 'suite not looked at: .* rare .*no such host'
check "... and does not bring an older kernel back" is newest 'linux-image-7.4-amd64 7.4~rc1-1~exp1'
fetch --refresh 7.3
check "a pattern takes the newest that matches" is 7.3 'linux-image-7.3.10+deb14-amd64 7.3.10-1'
suite near 'linux-image-7.5.1-amd64 7.5.1-1'
fetch --refresh one
a_day_later 7.3
fetch 7.3
check "what is here stays while nothing newer matches" is 7.3 \
	'linux-image-7.3.10+deb14-amd64 7.3.10-1'
rm -rf "$kernels/7.3"
suite far 'linux-image-7.5.1-cloud-amd64 7.5.1-1'
fetch 7.3
check "no suite has one" says 'fetch-kernel: no kernel image behind linux-image-7.3\*-amd64'
rm "$out/suites"/*
a_day_later newest
fetch newest
check "without network what is here is used" is newest 'linux-image-7.4-amd64 7.4~rc1-1~exp1'
check "... and that is said" says 'newest stays 7.4~rc1-1~exp1: no package lists'
mirror=''
a_day_later newest
fetch newest
check "without a mirror what is here is used" is newest 'linux-image-7.4-amd64 7.4~rc1-1~exp1'
check "... and that is said" says "newest stays 7.4~rc1-1~exp1: this machine's apt has no source"
mirror=http://mirror.test/debian
rm -rf "$kernels/newest"
fetch newest
check "without network and kernel: no package lists" says 'fetch-kernel: no package lists .* near'
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
