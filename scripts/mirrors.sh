# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where packages of a distribution come from: from where this machine has them, or from a variable.

# The sources of this machine's apt as "SUITE|LABEL|URI" lines: all of them, then with their labels
# those of which there are package lists.
apt_sources_table() {
	apt-get -o Debug::NoLocking=1 --print-uris update 2>/dev/null |
		sed -nE "s|^'(.*)/dists/(.*)/InRelease'.*|\2\|\|\1|p"
	# shellcheck disable=SC2016 # $(FIELD) is apt's own syntax
	apt-get indextargets --format '$(RELEASE)|$(LABEL)|$(REPO_URI)' 2>/dev/null | sort -u
}

# apt_source ARCHIVE: the URI of the first source of debian, debian-security or ubuntu; a suite that
# has no well-known name is known by its label.
apt_source() {
	apt_sources_table | awk -F'|' -v archive="$1" '
		BEGIN {
			debian = "^((old)*stable|testing|unstable|sid|bookworm|trixie|forky|duke)(-|$)"
			ubuntu = "^(jammy|noble|plucky|questing|resolute|devel)(-|$)"
		}
		{
			security = $1 ~ /-security/
			of = ""
			if ($2 ~ /^Debian/ || $1 ~ debian)
				of = security ? "debian-security" : "debian"
			else if (($2 == "Ubuntu" || $1 ~ ubuntu) && !security)
				of = "ubuntu"
			if (of == archive && !found++) {
				sub(/\/+$/, "", $3)
				print $3
			}
		}'
}

# find_mirror ARCHIVE: sets $mirror to the URI that serves debian, debian-security or ubuntu, all
# suites of it. On failure sets $mirror_error, which says what to set, and returns 1.
find_mirror() {
	local variable=${1^^}
	variable=${variable//-/_}_MIRROR
	mirror=${!variable:-}
	[ -n "$mirror" ] || mirror=$(apt_source "$1")
	# Debian's mirrors have both next to each other.
	if [ -z "$mirror" ] && [ "$1" = debian-security ]; then
		mirror=${DEBIAN_MIRROR:-$(apt_source debian)}
		case $mirror in
		*/debian) mirror+=-security ;;
		*) mirror='' ;;
		esac
	fi
	mirror=${mirror%/}
	[ -z "$mirror" ] || return 0
	# shellcheck disable=SC2034 # for the caller
	mirror_error="this machine's apt has no source of $1: set $variable to the URL of a mirror"
	return 1
}
