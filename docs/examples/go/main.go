// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// deadlocks OBJECT: load a BPF object with cilium/ebpf, run its tc programs, and show which locks
// they failed to get.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/cilium/ebpf"
)

const rounds = 3

// run loads an object and runs its programs. A program that fails to get a lock returns an errno,
// which is no error here.
func run(object string) error {
	spec, err := ebpf.LoadCollectionSpec(object)
	if err != nil {
		return err
	}
	coll, err := ebpf.NewCollection(spec)
	if err != nil {
		var refused *ebpf.VerifierError
		if errors.As(err, &refused) {
			return fmt.Errorf("%s: %+v", object, refused)
		}
		return fmt.Errorf("%s: %w", object, err)
	}
	defer coll.Close()
	for name, prog := range coll.Programs {
		if prog.Type() != ebpf.SchedCLS {
			continue
		}
		if _, err := prog.Run(&ebpf.RunOptions{Data: make([]byte, 64), Repeat: rounds}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// watch runs this program once more, below rqspin trace, which waits until it can see failures.
func watch(object string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	rqspin := os.Getenv("RQSPIN")
	if rqspin == "" {
		rqspin = "rqspin"
	}
	trace := exec.Command(rqspin, "trace", "--json", "--", self, "--run", object)
	trace.Stderr = os.Stderr
	out, err := trace.StdoutPipe()
	if err != nil {
		return err
	}
	if err := trace.Start(); err != nil {
		return err
	}
	lost, err := readEvents(out, func(e *Event) { fmt.Println(e) })
	if err != nil {
		return errors.Join(err, trace.Process.Kill(), trace.Wait())
	}
	if lost > 0 {
		fmt.Fprintf(os.Stderr, "%d failures were lost\n", lost)
	}
	return trace.Wait()
}

func main() {
	var err error
	switch {
	case len(os.Args) == 2:
		err = watch(os.Args[1])
	case len(os.Args) == 3 && os.Args[1] == "--run":
		err = run(os.Args[2])
	default:
		err = errors.New("usage: deadlocks OBJECT")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "deadlocks:", err)
		os.Exit(1)
	}
}
