# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
DOCS = $(O)/docs/rqspin.8 $(O)/docs/rqspin.bash-completion
PC = $(O)/docs/rqspin.pc
VERSION = $(shell sed -n 's/^\#define RQSPIN_VERSION "\(.*\)"/\1/p' user/version.h)

.PHONY: docs
docs: $(DOCS) ## man page and bash completion, from the command's tables

$(O)/docs/tables.json: $(O)/rqspin
	@mkdir -p $(@D)
	$(Q)$< --dump-tables >$@

$(O)/docs/rqspin.8: docs/rqspin.8.in docs/gen-cli-docs.py $(O)/docs/tables.json
	$(say) DOC $@
	$(Q)python3 docs/gen-cli-docs.py man $< <$(O)/docs/tables.json >$@

$(O)/docs/rqspin.bash-completion: docs/rqspin.bash-completion.in docs/gen-cli-docs.py $(O)/docs/tables.json
	$(say) DOC $@
	$(Q)python3 docs/gen-cli-docs.py completion $< <$(O)/docs/tables.json >$@

$(PC): docs/rqspin.pc.in user/version.h FORCE
	@mkdir -p $(@D)
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< >$@

.PHONY: FORCE
FORCE:

INSTALL = install -p
D = $(DESTDIR)$(PREFIX)

.PHONY: install
install: bpf user docs $(PC) ## install below DESTDIR and PREFIX
	$(Q)$(INSTALL) -d $(D)/sbin $(D)/lib/rqspin/progs $(D)/include/rqspin $(D)/share/man/man8 \
		$(D)/share/bash-completion/completions $(D)/share/pkgconfig
	$(Q)$(INSTALL) -m 755 $(O)/rqspin $(D)/sbin/rqspin
	$(Q)$(INSTALL) -m 644 $(SAMPLES) $(D)/lib/rqspin/progs
	$(Q)$(INSTALL) -m 644 include/rqspin/*.h $(D)/include/rqspin
	$(Q)$(INSTALL) -m 644 $(O)/docs/rqspin.8 $(D)/share/man/man8/rqspin.8
	$(Q)$(INSTALL) -m 644 $(O)/docs/rqspin.bash-completion \
		$(D)/share/bash-completion/completions/rqspin
	$(Q)$(INSTALL) -m 644 $(PC) $(D)/share/pkgconfig/rqspin.pc

.PHONY: uninstall
uninstall: ## remove what install put there
	$(Q)rm -f $(D)/sbin/rqspin $(D)/share/man/man8/rqspin.8 $(D)/share/pkgconfig/rqspin.pc \
		$(D)/share/bash-completion/completions/rqspin
	$(Q)rm -rf $(D)/lib/rqspin $(D)/include/rqspin
