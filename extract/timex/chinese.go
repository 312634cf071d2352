package timex

import "time"

type chinese struct{ work int }

func newChinese(text string, ref time.Time, bare bool) *chinese { return &chinese{} }
func (z *chinese) whole() (meaning, bool)                       { return meaning{}, false }
func (z *chinese) find() []Match                                { return nil }
