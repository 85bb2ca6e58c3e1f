// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <curses.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "cmd.h"
#include "../base/json_out.h"
#include "../base/opts.h"
#include "base/version.h"

#ifdef RQSPIN_LIBBPF_BUNDLED
#define LIBBPF_BUNDLED true
#else
#define LIBBPF_BUNDLED	      false
#define RQSPIN_LIBBPF_BUNDLED ""
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZERS true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZERS true
#endif
#endif
#ifndef SANITIZERS
#define SANITIZERS false
#endif

static const struct feature {
	const char *name;
	bool on;
} features[] = { { "libbpf_bundled", LIBBPF_BUNDLED }, { "sanitizers", SANITIZERS } };

#define NR_FEATURES (sizeof(features) / sizeof(features[0]))

static const struct argp argp = {
	.parser = opts_parse_none,
	.doc = "Print the version of the command, of the libbpf that it uses, and what it was built "
	       "with.\vA bundled libbpf is part of the command; packages of distributions use the "
	       "system's.",
	.children = opts_only_common,
};

/* libbpf_version_string() gives "v1.7", without the third number. */
static const char *libbpf_version(void)
{
	return LIBBPF_BUNDLED ? RQSPIN_LIBBPF_BUNDLED : libbpf_version_string() + 1;
}

static const char *ncurses_version(void)
{
	static const char prefix[] = "ncurses ";
	const char *text = curses_version();

	return strncmp(text, prefix, sizeof(prefix) - 1) ? text : text + sizeof(prefix) - 1;
}

static void version_json(void)
{
	json_t *on = json_object();

	for (size_t i = 0; i < NR_FEATURES; i++)
		json_object_set_new(on, features[i].name, json_boolean(features[i].on));
	json_put_pretty(json_pack("{s:s, s:s, s:s, s:o, s:{s:s, s:s, s:s}}", "schema",
				  "rqspin-version/1", "version", RQSPIN_VERSION, "libbpf_version",
				  libbpf_version(), "features", on, "libraries", "jansson",
				  jansson_version_str(), "libmicrohttpd", MHD_get_version(),
				  "ncurses", ncurses_version()));
}

void cmd_version_print(FILE *out)
{
	int nr = 0;

	fprintf(out, "rqspin %s\nusing libbpf %s (%s)\nfeatures:", RQSPIN_VERSION, libbpf_version(),
		LIBBPF_BUNDLED ? "bundled" : "the system's");
	for (size_t i = 0; i < NR_FEATURES; i++)
		if (features[i].on)
			fprintf(out, "%s %s", nr++ ? "," : "", features[i].name);
	fprintf(out, "%s\nlibraries: jansson %s, libmicrohttpd %s, ncurses %s\n", nr ? "" : " none",
		jansson_version_str(), MHD_get_version(), ncurses_version());
}

static int cmd_version_run(int argc, char **argv)
{
	bool json = false;

	argp_parse(&argp, argc, argv, 0, NULL, &json);
	if (json)
		version_json();
	else
		cmd_version_print(stdout);
	return EXIT_OK;
}

const struct cmd cmd_version = { "version", "print versions and compiled-in features", &argp,
				 cmd_version_run };
