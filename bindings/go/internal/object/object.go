// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// Package object loads and runs BPF objects for the examples.
package object

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
)

// Load loads an object, and says what the verifier did not like.
func Load(name string) (*ebpf.Collection, error) {
	spec, err := ebpf.LoadCollectionSpec(name)
	if err != nil {
		return nil, err
	}
	coll, err := ebpf.NewCollection(spec)
	var refused *ebpf.VerifierError
	if errors.As(err, &refused) {
		return nil, fmt.Errorf("%s: %+v", name, refused)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return coll, nil
}

// Run runs an object's tc programs. One that fails to get a lock returns an errno, which is no
// error here.
func Run(coll *ebpf.Collection, rounds uint32) error {
	for name, prog := range coll.Programs {
		if prog.Type() != ebpf.SchedCLS {
			continue
		}
		options := ebpf.RunOptions{Data: make([]byte, 64), Repeat: rounds}
		if _, err := prog.Run(&options); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
