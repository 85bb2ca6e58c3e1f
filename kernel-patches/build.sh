#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Build one variant of the patched kernel into build/kernels/6.12-rqspin-CONFIG, where
# selftests/vm/run.sh --kernel 6.12-rqspin-CONFIG finds it (6.12-rqspin is the last lean one). With
# SERIES=7.x/fixes it is 7.x-fixes-CONFIG, and the lean one 7.x-fixes; series of one source are
# built from the same objects, so the second takes minutes.
#   kernel-patches/build.sh [--worktree | --commit REV] [--as NAME] [--result NAME] [CONFIG]
# It builds what is committed in build/linux-6.12, or REV of it (the branch of SERIES); --worktree
# adds uncommitted changes (new files must be known to git). The tree can be edited meanwhile: the
# compiler sees build/kernel-src only. --as NAME keeps source, objects and result apart
# (build/kernels/6.12-rqspin-NAME), so that another state of the series does not disturb the first;
# --result NAME keeps only the result apart, for a small variation built from the same objects.
# shellcheck source=kernel-patches/common.sh
. "$(dirname "$0")/common.sh"

rev=$branch worktree=0 config=lean as='' result=''
# An earlier commit may lack what the tests are configured by.
export BISECT=${BISECT:-0}
while [ $# -gt 0 ]; do
	case $1 in
	--worktree) worktree=1 ;;
	--commit) rev=${2:?} BISECT=1 && shift ;;
	--as) as=${2:?} && shift ;;
	--result) result=${2:?} && shift ;;
	-*) die "usage: build.sh [--worktree | --commit REV] [--as NAME] [--result NAME] [CONFIG]" 2 ;;
	*) config=$1 ;;
	esac
	shift
done
image=arch/x86/boot/bzImage
[ "$config" != arm64 ] || export ARCH=arm64 image=arch/arm64/boot/Image
# Names of 6.12 have no source in them, and those of other series no "rqspin" and no "lean".
place() {
	local variant=${result:-${as:-$config}}
	obj=$top/build/kernel-obj/${as:-$config}
	src=$top/build/kernel-src${as:+-$as}
	name=$SERIES-rqspin-$variant
	version=-rqspin-$config
	[ "$branch" != HEAD ] || return 0
	obj=$top/build/kernel-obj/$family-${as:-$config}
	src=$top/build/kernel-src-$family${as:+-$as}
	[ "$variant" != lean ] || variant=''
	name=$family-$branch${variant:+-$variant}
	version=-${name#*-}
}
place
out=$top/build/kernels/$name

# A stash entry that nobody keeps is a commit of the work tree.
pick_commit() {
	commit=$(git -C "$tree" rev-parse -q --verify "$rev^{commit}") || die "no commit '$rev' in $tree"
	[ $worktree = 1 ] || return 0
	local unknown
	unknown=$(git -C "$tree" ls-files --others --exclude-standard | paste -sd ' ')
	[ -z "$unknown" ] || say "not built, because git does not know them: $unknown"
	[ "$branch" = HEAD ] || [ "$(git -C "$tree" symbolic-ref -q --short HEAD)" = "$branch" ] ||
		die "the changes in $tree are not on $branch: git -C $tree checkout $branch"
	commit=$(git -C "$tree" stash create)
	commit=${commit:-$(git -C "$tree" rev-parse HEAD)}
}

# Only files that differ are written, so make rebuilds only what they touch.
check_out() {
	# Its .git names the tree that it belongs to, which may have been unpacked anew since.
	git -C "$src" rev-parse -q --verify HEAD >/dev/null 2>&1 || rm -rf "$src"
	if [ -e "$src/.git" ]; then
		git -C "$src" checkout -q --force --detach "$commit"
		git -C "$src" clean -qfdx
	else
		git -C "$tree" worktree prune
		# twice: a killed run may have left it locked
		git -C "$tree" worktree add -q --force --force --detach "$src" "$commit"
	fi
}

compile() {
	local start=$SECONDS
	say "$name: building $(git -C "$src" log -1 --format='%h %s')"
	"$kp/config.sh" "$src" "$obj" "$config"
	kmake "$src" "$obj" LOCALVERSION="$version" "${image##*/}" modules
	release=$(cat "$obj/include/config/kernel.release")
	say "$name: $release after $((SECONDS - start)) s"
}

# Modules of tests, for kernels of series that share their objects: the next one replaces them. In a
# copy, because the compiler writes beside the source.
make_extra() {
	local dir copy=$obj-extra
	[ "$family" != 6.12 ] && [ "${ARCH:-x86_64}" = x86_64 ] || return 0
	rm -rf "$copy" && mkdir -p "$copy" "$1/extra"
	for dir in "$src/tools/testing/selftests/bpf/test_kmods" "$top/selftests/kernel/cycles"; do
		cp -r "$dir" "$copy/"
		kmake "$src" "$obj" LOCALVERSION="$version" M="$copy/${dir##*/}" modules
		cp "$copy/${dir##*/}"/*.ko "$1/extra/"
	done
}

# The layout of fetch-kernel.sh: boot/vmlinuz-V, lib/modules/V, VERSION, RELEASE.
arrange() {
	local new=$top/build/kernels/.new-$name
	rm -rf "$new"
	mkdir -p "$new/boot"
	cp "$obj/$image" "$new/boot/vmlinuz-$release"
	cp "$obj/.config" "$new/boot/config-$release"
	kmake "$src" "$obj" LOCALVERSION="$version" INSTALL_MOD_PATH="$new" \
		INSTALL_MOD_STRIP=1 modules_install >/dev/null
	make_extra "$new"
	# The links to source and objects are for make only.
	rm -f "$new/lib/modules/$release"/{build,source}
	commits=$(git -C "$src" rev-list --count "base..$commit")
	echo "$(base_field version) + $commits commits, $commit" >"$new/VERSION"
	echo "$release" >"$new/RELEASE"
	rm -rf "$out"
	mv "$new" "$out"
	[ "$config$as$result$branch" != leanHEAD ] || ln -sfn "$name" "$top/build/kernels/$SERIES-rqspin"
	say "$name: ready: selftests/vm/run.sh --kernel $name -- COMMAND"
}

need_tools kernel
need_tree
mkdir -p "$top/build/kernel-obj" "$top/build/kernels"
exec 9>"$obj.lock"
flock 9
pick_commit
check_out
compile
arrange
