# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bpf/progs/expected.tsv as initializers of struct sample (user/run/samples.h).
function strings(list, out, n, part, i)
{
	if (list == "-")
		return ""
	n = split(list, part, ",")
	for (i = 1; i <= n; i++)
		out = out (i > 1 ? ", " : "") "\"" part[i] "\""
	return out
}

BEGIN { FS = "\t" }
/^#/ || /^$/ { next }
NF != 11 {
	print FILENAME ":" FNR ": " NF " columns instead of 11" >"/dev/stderr"
	exit 1
}
{
	gsub(/["\\]/, "\\\\&", $11)
	per_cpu = sub(/\*$/, "", $2)
	printf "{ .name = \"%s\", .roles = { %s }, .attach = { %s }, .type = \"%s\",\n", $1,
		strings($2), strings($3), $4
	printf "  .min_cpus = %d, .needs = \"%s\", .rounds = %d, .expect = \"%s\",\n", $5,
		$6 == "-" ? "" : $6, $7, $8
	printf "  .role_per_cpu = %d, .by_hand = %d, .shows = \"%s\" },\n", per_cpu,
		$10 != "run", $11
}
