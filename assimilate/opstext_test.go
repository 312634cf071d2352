package assimilate

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/asof-db/asof/dsl"
)

// drawOp fills every field of a request, now and then with nothing.
func drawOp(t *rapid.T) OpRequest {
	str := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.Just("\xff\x00\"\\<&>\u2028"))
	instant := rapid.OneOf(rapid.Just(dsl.Beginning), rapid.Just(dsl.Forever),
		rapid.Map(rapid.Int64Range(int64(dsl.MinInstant), int64(dsl.MaxInstant)), func(n int64) dsl.Instant { return dsl.Instant(n) }))
	interval := rapid.Custom(func(t *rapid.T) *dsl.Interval {
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return &dsl.Interval{Start: instant.Draw(t, "start"), End: instant.Draw(t, "end")}
	})
	number := rapid.Custom(func(t *rapid.T) *float64 {
		f := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e-7, 1e21, math.NaN()})).Draw(t, "number")
		if rapid.Bool().Draw(t, "none") {
			return nil
		}
		return &f
	})
	var r OpRequest
	for v, i := reflect.ValueOf(&r).Elem(), 0; i < v.NumField(); i++ { // every field, also those that are new
		name := v.Type().Field(i).Name
		switch f := v.Field(i).Addr().Interface().(type) {
		case *string:
			*f = str.Draw(t, name)
		case *dsl.OpKind:
			*f = dsl.OpKind(str.Draw(t, name))
		case *dsl.LinkKind:
			*f = dsl.LinkKind(str.Draw(t, name))
		case *uint32:
			*f = rapid.Uint32().Draw(t, name)
		case *bool:
			*f = rapid.Bool().Draw(t, name)
		case **dsl.Interval:
			*f = interval.Draw(t, name)
		case **float64:
			*f = number.Draw(t, name)
		case *[]string:
			*f = rapid.SliceOfN(str, 0, 3).Draw(t, name)
		case *[]ParticipantRequest:
			for range rapid.IntRange(0, 2).Draw(t, name) {
				*f = append(*f, ParticipantRequest{Entity: str.Draw(t, "entity"), Role: str.Draw(t, "role")})
			}
		default:
			t.Fatalf("field %s is of a kind that this test does not know", name)
		}
	}
	return r
}

// TestOpsText holds the text of operations to what the general encoder gives.
func TestOpsText(t *testing.T) {
	fast := 0
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom([]dsl.Instant{dsl.MinInstant, 0, 1_700_000_000_000_001, dsl.MaxInstant, dsl.Forever}).Draw(t, "at")
		var ops []OpRequest
		for range rapid.IntRange(0, 2).Draw(t, "ops") {
			ops = append(ops, drawOp(t))
		}
		ref := rapid.String().Draw(t, "ref")
		got, ok := opsText(at, ops, ref)
		if !ok {
			return
		}
		fast++
		want, err := plainOpsText(at, ops, ref)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s\nwant %s, %v", got, want, err)
		}
	})
	if fast == 0 {
		t.Error("all were left to the general encoder")
	}
}

// TestOpsHash holds the hash of operations to what it always was: it is in logs.
func TestOpsHash(t *testing.T) {
	c, v := 0.25, dsl.Interval{Start: dsl.Beginning, End: 1_700_000_000_000_001}
	ops := []OpRequest{{Op: dsl.UpsertEdge, ID: "f1", Src: "Ana", Rel: "lives_in", Dst: "Löwen\n", Valid: &v, Confidence: &c, Evidence: []string{"t1"}}}
	h, err := OpsHash(1_600_000_000_000_000, ops, "x")
	if err != nil || h.String() != "d76a4449d5869bae58afc25e47163c041fbf9734972e1ef2ebbe3ab00938d062" {
		t.Errorf("%s, %v", h, err)
	}
	if _, err := OpsHash(0, []OpRequest{{Reason: "\xff"}}, ""); err == nil {
		t.Error("a text that is not UTF-8 has a hash")
	}
}
