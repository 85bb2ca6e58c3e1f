# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
SHELLS = bash zsh fish
DOCS = $(O)/docs/rqspin.8 $(SHELLS:%=$(O)/docs/rqspin.%-completion)
PC = $(O)/docs/rqspin.pc
VERSION = $(shell sed -n 's/^\#define RQSPIN_VERSION "\(.*\)"/\1/p' user/base/version.h)

.PHONY: docs
docs: $(DOCS) ## man page and completion of shells, from the command's tables

$(O)/docs/tables.json: $(O)/rqspin
	@mkdir -p $(@D)
	$(Q)command -v python3 >/dev/null || \
		{ echo "docs: python3 is missing: scripts/setup.sh installs it" >&2; exit 1; }
	$(Q)$< --dump-tables >$@

$(O)/docs/rqspin.8: docs/rqspin.8.in docs/gen-cli-docs.py $(O)/docs/tables.json
	$(say) DOC $@
	$(Q)python3 docs/gen-cli-docs.py man $< <$(O)/docs/tables.json >$@

$(O)/docs/rqspin.%-completion: docs/rqspin.%-completion.in docs/gen-cli-docs.py \
		$(O)/docs/tables.json
	$(say) DOC $@
	$(Q)python3 docs/gen-cli-docs.py $* $< <$(O)/docs/tables.json >$@

$(PC): docs/rqspin.pc.in user/base/version.h FORCE
	@mkdir -p $(@D)
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< >$@

# Links to pages and headings that are not there are errors.
SITE = $(O)/docs/site
.PHONY: site
site: docs ## the documentation as a site: build/docs/site/index.html
	$(Q)[ -x .venv/bin/sphinx-build ] && command -v groff >/dev/null || \
		{ echo "site: no .venv/bin/sphinx-build or groff: run make setup" >&2; exit 1; }
	$(Q)groff -man -Tutf8 -P-cbou $(O)/docs/rqspin.8 >$(O)/docs/rqspin.8.txt
	$(Q).venv/bin/python docs/site/stage.py $(O)/docs/site-pages
	$(Q)rm -rf $(SITE)
	$(Q).venv/bin/sphinx-build -q -W --keep-going -b html $(O)/docs/site-pages $(SITE)
	$(Q)echo $(SITE)/index.html

.PHONY: FORCE
FORCE:

INSTALL = install -p
D = $(DESTDIR)$(PREFIX)
SHARED_DOCS = $(wildcard docs/*.md docs/*.json docs/*.png) LICENSE \
	user/bcc/rqspindeadlock_example.txt
MONITORING = $(filter-out %.service,$(wildcard docs/monitoring/*))
UNITS = $(wildcard docs/monitoring/*.service)
SAMPLE_SOURCES = $(wildcard bpf/progs/*.c bpf/progs/*.h bpf/progs/*.tsv)
BINDINGS = $(patsubst bindings/%/,%,$(sort $(dir $(shell find bindings -name target -prune -o \
	-name '*.go' -print -o -name '*.rs' -print -o -name Cargo.toml -print))))
FOLDERS = sbin lib/rqspin/progs include/rqspin share/man/man8 share/bash-completion/completions \
	share/zsh/site-functions share/fish/vendor_completions.d \
	share/pkgconfig share/doc/rqspin/progs share/doc/rqspin/monitoring share/rqspin/contrib \
	$(addprefix share/rqspin/bindings/,$(BINDINGS))
FOLDER_LIST = $(PREFIX)/lib/rqspin/folders

define INSTALLED
Installed in $(D):
  sbin/rqspin, sbin/rqspindeadlock   commands
  include/rqspin                     headers for BPF programs
  share/pkgconfig/rqspin.pc          for pkg-config --cflags rqspin
  lib/rqspin/progs                   samples
  share/rqspin/bindings              packages for Go and Rust
  share/rqspin/contrib               a drgn script for memory dumps
  share/doc/rqspin                   documents, sources of the samples, monitoring
  share/man/man8                     manuals: rqspin.8, rqspindeadlock.8
  share/bash-completion/completions/rqspin, share/zsh/site-functions/_rqspin,
  share/fish/vendor_completions.d/rqspin.fish   completion
Remove it with: make uninstall PREFIX=$(PREFIX)$(DESTDIR:%= DESTDIR=%)
endef
export INSTALLED

# Relative names would land below the current folder and in the files that name the prefix.
.PHONY: install-check
install-check:
	@case '$(PREFIX)' in /*) ;; *) echo "install: PREFIX='$(PREFIX)' is no absolute path:" \
		"make install PREFIX=/usr/local DESTDIR=FOLDER-OF-A-PACKAGE" >&2; exit 2 ;; esac
	@case '$(DESTDIR)' in '' | /*) ;; *) echo "install: DESTDIR='$(DESTDIR)' is no absolute" \
		"path; leave it out to install into this system" >&2; exit 2 ;; esac

.PHONY: install
install: install-check bpf user docs $(PC) ## install below DESTDIR and PREFIX
	$(Q)scripts/folders.sh make '$(DESTDIR)' '$(FOLDER_LIST)' $(addprefix $(PREFIX)/,$(FOLDERS))
	$(Q)$(INSTALL) -m 755 $(O)/rqspin $(D)/sbin/rqspin
	$(Q)$(INSTALL) -m 755 user/bcc/rqspindeadlock.py $(D)/sbin/rqspindeadlock
	$(Q)$(INSTALL) -m 644 $(SAMPLES) $(D)/lib/rqspin/progs
	$(Q)$(INSTALL) -m 644 include/rqspin/*.h $(D)/include/rqspin
	$(Q)$(INSTALL) -m 644 $(O)/docs/rqspin.8 user/bcc/rqspindeadlock.8 $(D)/share/man/man8
	$(Q)$(INSTALL) -m 644 $(O)/docs/rqspin.bash-completion \
		$(D)/share/bash-completion/completions/rqspin
	$(Q)$(INSTALL) -m 644 $(O)/docs/rqspin.zsh-completion $(D)/share/zsh/site-functions/_rqspin
	$(Q)$(INSTALL) -m 644 $(O)/docs/rqspin.fish-completion \
		$(D)/share/fish/vendor_completions.d/rqspin.fish
	$(Q)$(INSTALL) -m 644 $(PC) $(D)/share/pkgconfig/rqspin.pc
	$(Q)$(INSTALL) -m 644 $(SHARED_DOCS) $(D)/share/doc/rqspin
	$(Q)sed 's|](docs/|](|; s|\[\([^]]*\)\](kernel-patches/[^)]*)|\1|' KNOWN_ISSUES.md \
		>$(D)/share/doc/rqspin/KNOWN_ISSUES.md
	$(Q)$(INSTALL) -m 644 $(SAMPLE_SOURCES) $(D)/share/doc/rqspin/progs
	$(Q)for d in $(BINDINGS); do \
		$(INSTALL) -m 644 $$(find bindings/$$d -maxdepth 1 -type f -name '[A-Za-z]*.*' \
			! -name '*_test.go' ! -name '*_tests.rs' ! -name 'Cargo.lock*') \
			$(D)/share/rqspin/bindings/$$d; done
	$(Q)$(INSTALL) -m 644 packaging/contrib/rqspin_locks.py $(D)/share/rqspin/contrib
	$(Q)$(INSTALL) -m 644 $(MONITORING) $(D)/share/doc/rqspin/monitoring
	$(Q)for u in $(UNITS); do \
		sed 's|/usr/local/|$(PREFIX)/|' $$u >$(D)/share/doc/rqspin/monitoring/$${u##*/}; done
	$(Q)[ -z '$(LIBBPF_A)' ] || $(INSTALL) -m 644 \
		.cache/libbpf-$(LIBBPF_VERSION)/LICENSE.BSD-2-Clause $(D)/share/doc/rqspin/LICENSE.libbpf
	@printf '%s\n' "$$INSTALLED"

.PHONY: uninstall
uninstall: ## remove what install put there
	$(Q)rm -f $(D)/sbin/rqspin $(D)/sbin/rqspindeadlock $(D)/share/man/man8/rqspin.8 \
		$(D)/share/man/man8/rqspindeadlock.8 $(D)/share/pkgconfig/rqspin.pc \
		$(D)/share/bash-completion/completions/rqspin \
		$(D)/share/zsh/site-functions/_rqspin $(D)/share/fish/vendor_completions.d/rqspin.fish
	$(Q)rm -rf $(D)/lib/rqspin/progs $(D)/include/rqspin $(D)/share/doc/rqspin \
		$(D)/share/rqspin/bindings $(D)/share/rqspin/contrib
	$(Q)scripts/folders.sh remove '$(DESTDIR)' '$(FOLDER_LIST)'
	$(Q)[ ! -d $(D)/lib/rqspin ] || rmdir $(D)/lib/rqspin
