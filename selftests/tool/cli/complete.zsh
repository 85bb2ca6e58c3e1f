#!/usr/bin/env zsh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What zsh offers for a line: complete.zsh FOLDER-OF-_rqspin LINE. A shell of its own, on a terminal
# of its own, presses the tab key; what it would add is printed instead. What is typed may be echoed,
# so no word that is waited for stands in it as a whole.
zmodload zsh/zpty || exit 3
zpty z "LC_ALL=C PATH=${(q)PATH} zsh -f -i"
send() { zpty -w z "$1" }
send "PS1= PS2= ; unsetopt zle_bracketed_paste 2>/dev/null; fpath=(${(q)1} \$fpath)"
send "autoload -Uz compinit && compinit -D -u"
send 'compadd() {
	local -a hits; local i
	[[ " $* " = *" -O "* || " $* " = *" -A "* || " $* " = *" -D "* ]] && { builtin compadd "$@"; return }
	builtin compadd -O hits "$@"
	for i in $hits; do print -r -- "OFF""ER:$i"; done
	builtin compadd "$@"
}'
send "zle_done() { zle complete-word; print -r -- DO''NE:; zle kill-whole-line; zle accept-line }; zle -N zle_done; bindkey '^I' zle_done; print REA''DY:"
local text
zpty -r -m z text $'*READY:\r\n*' || exit 4
zpty -w -n z "$2"$'\t'
zpty -r -m z text $'*DONE:*'
zpty -d z
print -r -- "$text" | tr -d '\r' | sed -n 's/.*OFFER://p' | sort -u
