//go:build !linux

package main

import "time"

// threadTime gives no processor time where there is no way to ask for a thread's.
var threadTime func() time.Duration
