// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const whole = "../testdata/trace.jsonl"

func linesOf(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func generic(t *testing.T, text []byte) (value map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Every member that trace has written is there, with its value.
func TestLinesAreKept(t *testing.T) {
	names, err := filepath.Glob("../../selftests/tool/cli/replay/*.jsonl")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	types := map[string]int{}
	for _, name := range append(names, whole) {
		for _, text := range linesOf(t, name) {
			line, err := parse([]byte(text))
			if err != nil {
				t.Fatal(name, err)
			}
			again, err := json.Marshal(line)
			if err != nil {
				t.Fatal(err)
			}
			want, got := generic(t, []byte(text)), generic(t, again)
			if !reflect.DeepEqual(want, got) {
				t.Fatalf("%s:\n%s\n%s", name, text, again)
			}
			types[want["type"].(string)]++
		}
	}
	if types["failure"] < 9 || types["wait"] != 1 || types["repeat"] == 0 || types["summary"] != 1 {
		t.Fatal(types)
	}
}

func TestReadTrace(t *testing.T) {
	file, err := os.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var shown []string
	sum, err := ReadTrace(file, func(line Line) error {
		if f, is := line.(*Failure); is {
			shown = append(shown, f.String())
		}
		return nil
	})
	want := []string{"AA in aa at aa.bpf.c:41: wants slots[0].lock"}
	if err != nil || !reflect.DeepEqual(shown, want) || sum.Events != 3 || sum.Repeats != 2 {
		t.Fatal(shown, sum, err)
	}
}

func TestATraceThatIsNone(t *testing.T) {
	lines := linesOf(t, whole)
	stop := errors.New("enough")
	for _, c := range []struct{ text, want string }{
		{"", ErrNoSummary.Error()},
		{lines[0] + "\n", ErrNoSummary.Error()},
		{lines[0] + "\n" + lines[1][:40], "line 2: unexpected end of JSON input"},
		{strings.Replace(lines[0], "event/2", "event/3", 1), `line 1: schema "rqspin-event/3", `},
		{strings.Replace(lines[0], `"failure"`, `"new"`, 1), `line 1: no type "new" is known`},
		{"AA\n", "line 1: invalid character 'A'"},
	} {
		_, err := ReadTrace(strings.NewReader(c.text), func(Line) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Fatalf("%v, not %s", err, c.want)
		}
	}
	_, err := ReadTrace(strings.NewReader(lines[0]), func(Line) error { return stop })
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
}
