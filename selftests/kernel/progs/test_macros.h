/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tags that make a program a test of its own, read through the object's BTF:
 *
 *	__refused("text")	loading must fail and the verifier's log contain the text
 *	__refused_re("ERE")	the same with an extended regular expression, for
 *				messages that differ between kernels
 *	__accepted		loading must succeed
 *	__returns(n)		... and one run must return n, every lock free after it
 *			(with __refused: one of the two, where kernels differ)
 *	__accepted_if("c")	with __refused: must be accepted by kernels that have the capability
 *				c of progs/capabilities.bpf.c, and be refused by the others
 *	__unless("c", "text")	without the capability c it is refused with that text instead
 *	__needs("name")		skipped where the kernel's BTF has no such kfunc
 *	__needs_tracepoint("name") the same for a tracepoint
 *	__hole("name")	with __refused: kernels without our series may accept it, which is
 *			a skip that names the section of docs/holes.md
 *
 * Tagged programs are SEC("?...") so that each one is loaded alone.
 */
#ifndef RQSPIN_TEST_MACROS_H
#define RQSPIN_TEST_MACROS_H

#define __test_tag(text)   __attribute__((btf_decl_tag("rqspin_test:" text)))
#define __refused(text)	   __test_tag("refused=" text)
#define __refused_re(text) __test_tag("refused_re=" text)
#define __accepted	   __test_tag("accepted=")
#define __returns(n)	   __test_tag("returns=" #n)
#define __accepted_if(c)   __test_tag("accepted_if=" c)
#define __unless(c, text)  __test_tag("unless=" c ":" text)
#define __needs(name)	   __test_tag("needs=" name)
#define __hole(name)	   __test_tag("hole=" name)

#define __needs_tracepoint(name) __test_tag("needs_tracepoint=" name)

#endif
