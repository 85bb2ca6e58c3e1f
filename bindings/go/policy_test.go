// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

package rqspin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
)

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		mapType       MapType
		op            Op
		err           error
		retry, resume bool
		causes        int
	}{
		{ebpf.Hash, OpUpdate, syscall.EDEADLK, true, false, 2},
		{ebpf.LRUHash, OpDelete, syscall.ETIMEDOUT, true, false, 1},
		{ebpf.Hash, OpUpdate, syscall.E2BIG, true, false, 2},
		{ebpf.LRUCPUHash, OpUpdate, syscall.ENOMEM, true, false, 3},
		{ebpf.Queue, OpPush, syscall.E2BIG, false, false, 1},
		{ebpf.Queue, OpUpdate, syscall.EBUSY, true, false, 3},
		{ebpf.TaskStorage, OpUpdate, syscall.EBUSY, true, false, 1},
		{ebpf.Stack, OpPop, syscall.EBUSY, true, false, 3},
		{ebpf.LPMTrie, OpUpdateBatch, syscall.EDEADLK, true, true, 1},
		{ebpf.PerCPUHash, OpLookupBatch, syscall.EBUSY, true, true, 1},
		{ebpf.Hash, OpUpdate, syscall.EEXIST, false, false, 0},
		{ebpf.Hash, OpUpdateBatch, syscall.EFAULT, false, false, 0},
		{ebpf.Array, OpUpdate, syscall.EBUSY, false, false, 0},
		{ebpf.SkStorage, OpGet, syscall.EDEADLK, true, false, 1},
		{ebpf.Arena, OpAllocPages, syscall.EBUSY, false, false, 0},
		{ebpf.Hash, OpUpdate, errors.New("no errno"), false, false, 0},
	} {
		d := Decide(c.mapType, c.op, fmt.Errorf("wrapped: %w", c.err))
		if d.Retry != c.retry || d.Resume != c.resume || len(d.Causes) != c.causes ||
			(d.Tries > 0) != c.retry {
			t.Errorf("%v %v %v: %+v", c.mapType, c.op, c.err, d)
		}
	}
}

func TestPause(t *testing.T) {
	d := Decide(ebpf.Hash, OpUpdate, syscall.EDEADLK)
	for n, whole := 1, d.First; n <= d.Tries; n, whole = n+1, 2*whole {
		if p := d.Pause(n); p < whole/2 || p > whole {
			t.Errorf("%d: %v", n, p)
		}
	}
}

// fails fails so often, then succeeds.
func fails(times int, err error) (func() error, *int) {
	calls := 0
	return func() error {
		calls++
		if calls <= times {
			return err
		}
		return nil
	}, &calls
}

func TestRetry(t *testing.T) {
	ctx := context.Background()
	do, calls := fails(2, syscall.EDEADLK)
	if err := Retry(ctx, ebpf.Hash, OpUpdate, do); err != nil || *calls != 3 {
		t.Error(*calls, err)
	}
	do, calls = fails(100, syscall.EBUSY)
	err := Retry(ctx, ebpf.Queue, OpPush, do)
	var left *Error
	if !errors.Is(err, syscall.EBUSY) || !errors.As(err, &left) || left.Tries != 6 || *calls != 6 ||
		!strings.Contains(err.Error(), "(6 tries); maybe: ") {
		t.Error(*calls, err)
	}
	do, calls = fails(100, syscall.E2BIG)
	err = Retry(ctx, ebpf.Queue, OpPush, do)
	if *calls != 1 || !strings.HasSuffix(err.Error(), "; maybe: map full") {
		t.Error(*calls, err)
	}
	do, calls = fails(100, syscall.ENOENT)
	if err := Retry(ctx, ebpf.Hash, OpDelete, do); err != syscall.ENOENT || *calls != 1 {
		t.Error(*calls, err)
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	do, calls := fails(100, syscall.ETIMEDOUT)
	err := Retry(ctx, ebpf.Hash, OpUpdate, do)
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, syscall.ETIMEDOUT) || *calls != 1 {
		t.Error(*calls, err)
	}
}

// The numbers are the kernel's: those of a library that has them from there.
func TestEveryTypeOfTheTableIsKnown(t *testing.T) {
	for _, c := range causes {
		for _, number := range c.Types {
			if strings.HasPrefix(number.String(), "MapType(") {
				t.Error(number)
			}
		}
	}
}
