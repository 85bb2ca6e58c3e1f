// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// Package rqspin is for programs that load BPF objects with cilium/ebpf: it reads the failures of
// resilient locks, from an object's own ring ([OpenRing]) or from rqspin trace --json ([ReadTrace]),
// and says what to do about an error of a map operation ([Decide], [Retry]).
package rqspin
