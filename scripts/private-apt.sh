# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# An apt with its own state: it changes neither the sources nor the packages of this machine.

# private_apt FOLDER REPO SUITE [ARCH]: package lists of one suite below FOLDER (default: amd64;
# errors are in FOLDER/log). Sets $aptc, the options that make apt-get and apt-cache use them; on
# failure sets $apt_error and returns 1.
private_apt() {
	local apt=$1 repo=$2 suite=$3 arch=${4:-amd64}
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts}
	if [ ! -e $keyring ]; then
		apt_error="no $keyring: install debian-archive-keyring"
		return 1
	fi
	: >>"$apt/status"
	echo "deb [arch=$arch signed-by=$keyring] $repo $suite main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-EOF
		APT::Architecture "$arch";
		APT::Architectures "$arch";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::IndexTargets::deb::DEP-11-icons-small::DefaultEnabled "false";
		Acquire::IndexTargets::deb::DEP-11-icons::DefaultEnabled "false";
		Acquire::IndexTargets::deb::DEP-11-icons-hidpi::DefaultEnabled "false";
		Dir::State "$apt";
		Dir::State::status "$apt/status";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt/cache";
		Dir::Etc::sourcelist "$apt/sources.list";
		Dir::Etc::sourceparts "$apt/parts";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "$apt/parts";
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Post-Invoke;
	EOF
	# A mirror may lag behind the date its lists are good for; their signature is checked all the same.
	aptc=(-c "$apt/apt.conf" -q -o APT::Update::Error-Mode=any -o Acquire::Retries=2
		-o Acquire::Check-Valid-Until=false)
	timeout 300 apt-get "${aptc[@]}" update >"$apt/log" 2>&1 && return 0
	# shellcheck disable=SC2034 # for the caller
	apt_error="no package lists from $repo $suite (no network?):"
	apt_error+=" $(grep -E '^(E|Err|W):?' "$apt/log" | tail -n 1)"
	return 1
}
