package pack

import (
	"context"

	"github.com/asof-db/asof/retrieval"
	"github.com/asof-db/asof/store"
)

const sessionBudget = 40000

type SessionOptions struct{}

func (o *SessionOptions) check() error { return nil }

type SessionReceipt struct{}

func gatherSessions(ctx context.Context, v store.View, q retrieval.Query, opt *Options) (*found, error) {
	return gather(ctx, v, q, opt)
}
