// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// deadlocks OBJECT: load a BPF object, run its tc programs, and show which locks they failed to
// get, as rqspin trace sees it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"rqspin.example/rqspin"
	"rqspin.example/rqspin/internal/object"
)

const rounds = 3

func run(name string) error {
	coll, err := object.Load(name)
	if err != nil {
		return err
	}
	defer coll.Close()
	return object.Run(coll, rounds)
}

func show(line rqspin.Line) error {
	if failure, is := line.(*rqspin.Failure); is {
		fmt.Println(failure)
	}
	return nil
}

// watch runs this program once more, below rqspin trace, which waits until it can see failures.
func watch(name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	rqspinName := os.Getenv("RQSPIN")
	if rqspinName == "" {
		rqspinName = "rqspin"
	}
	trace := exec.Command(rqspinName, "trace", "--json", "--", self, "--run", name)
	trace.Stderr = os.Stderr
	out, err := trace.StdoutPipe()
	if err != nil {
		return err
	}
	if err := trace.Start(); err != nil {
		return err
	}
	sum, err := rqspin.ReadTrace(out, show)
	if err != nil {
		return errors.Join(err, trace.Process.Kill(), trace.Wait())
	}
	if sum.Lost > 0 {
		fmt.Fprintf(os.Stderr, "%d failures were lost\n", sum.Lost)
	}
	return trace.Wait()
}

func main() {
	err := errors.New("usage: deadlocks OBJECT")
	switch {
	case len(os.Args) == 2:
		err = watch(os.Args[1])
	case len(os.Args) == 3 && os.Args[1] == "--run":
		err = run(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "deadlocks:", err)
		os.Exit(1)
	}
}
