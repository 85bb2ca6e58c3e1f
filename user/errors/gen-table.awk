# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# errors.tsv and advice.tsv as initializers of struct map_error and struct map_advice (table.h).
BEGIN { FS = "\t" }
/^#/ || /^$/ { next }
NF != 8 && NF != 4 {
	print FILENAME ":" FNR ": " NF " columns instead of 8 (errors) or 4 (advice)" >"/dev/stderr"
	exit 1
}
{
	gsub(/["\\]/, "\\\\&")
}
NF == 4 { printf "{ .id = \"%s\", .when = \"%s\", .text = \"%s\" },\n", $1, $2, $4 }
NF == 8 {
	printf "{ .types = \"%s\", .ops = \"%s\", .lock = MAPLOCK_%s,\n", $1, $2,
		$3 == "-" ? "NONE" : toupper($3)
	printf "  .cause = \"%s\",\n  .returns = { \"%s\", \"%s\", \"%s\" },\n  .advice = \"%s\" },\n",
		$4, $5, $6, $7, $8 == "-" ? "" : $8
}
