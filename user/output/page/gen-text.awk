# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A text file as string literals of C.
{
	gsub(/["\\]/, "\\\\&")
	printf "\"%s\\n\"\n", $0
}
