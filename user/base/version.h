/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef RQSPIN_VERSION_H
#define RQSPIN_VERSION_H

#define RQSPIN_VERSION "0.1.0"

#endif
