# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Source archive and packages, from what is committed.
DIST = build/dist
DIST_NAME = rqspin-$(VERSION)
DIST_TAR = $(DIST)/$(DIST_NAME).tar.xz

# One thread, no time of its own: the same commit makes the same bytes.
.PHONY: dist
dist: ## the source as an archive: build/dist/rqspin-VERSION.tar.xz, the same bytes each time
	@mkdir -p $(DIST)
	$(Q)git archive --format=tar --prefix=$(DIST_NAME)/ HEAD | xz -6 -T1 >$(DIST_TAR).new
	$(Q)mv $(DIST_TAR).new $(DIST_TAR)
	$(Q)sha256sum $(DIST_TAR)

.PHONY: deb
deb: dist ## Debian packages of that archive: build/dist/*.deb
	$(Q)packaging/deb.sh $(DIST_TAR)

.PHONY: rpm
rpm: dist ## RPM packages of that archive: build/dist/*.rpm
	$(Q)packaging/rpm.sh $(DIST_TAR)
