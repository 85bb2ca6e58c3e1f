// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// ring OBJECT [ROUNDS]: load a BPF object that reports its own failures, run its tc programs, and
// show the failures. It needs neither rqspin nor a kernel with the locks.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"rqspin.example/rqspin"
	"rqspin.example/rqspin/internal/object"
)

func show(r *rqspin.Ring) error {
	if err := r.ReadLast(func(e *rqspin.Event) { fmt.Println(e) }); err != nil {
		return err
	}
	if r.Lost()+r.Refused() == 0 {
		return nil
	}
	fmt.Fprintf(os.Stderr, "%d failures were lost, %d refused; all there were:\n", r.Lost(),
		r.Refused())
	groups, others, err := r.Groups()
	for _, g := range groups {
		fmt.Fprintf(os.Stderr, "%d %v in %s at %s:%d\n", g.Count, g.Kind, g.Prog, g.File, g.Line)
	}
	if others > 0 {
		fmt.Fprintf(os.Stderr, "%d others\n", others)
	}
	return err
}

func run(name string, rounds uint32) error {
	coll, err := object.Load(name)
	if err != nil {
		return err
	}
	defer coll.Close()
	m, err := rqspin.FindRing(coll.Maps)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	ring, err := rqspin.OpenRing(m)
	if err != nil {
		return err
	}
	if err := object.Run(coll, rounds); err != nil {
		return errors.Join(err, ring.Close())
	}
	return errors.Join(show(ring), ring.Close())
}

func main() {
	err := errors.New("usage: ring OBJECT [ROUNDS]")
	rounds := uint64(3)
	if len(os.Args) == 3 {
		rounds, _ = strconv.ParseUint(os.Args[2], 10, 31)
	}
	if (len(os.Args) == 2 || len(os.Args) == 3) && rounds > 0 {
		err = run(os.Args[1], uint32(rounds))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ring:", err)
		os.Exit(1)
	}
}
