package asof_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/asof-db/asof"
	"github.com/asof-db/asof/dsl"
)

// A turn, a later turn that changes what the first said, and the two questions
// of time.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "asof-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := asof.Open(ctx, asof.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	for _, line := range []string{
		`{"id":"t1","speaker":"Ana","ts":"2023-03-01T09:00:00Z","text":"I live in Boston."}`,
		`{"id":"t2","speaker":"Ana","ts":"2023-06-01T09:00:00Z","text":"I moved to Seattle in May 2023."}`,
	} {
		item, err := asof.ParseLine(asof.FormatTurns, []byte(line), asof.ParseOptions{Space: "demo"})
		if err != nil {
			log.Fatal(err)
		}
		if _, err := db.Ingest(ctx, []asof.Item{item.Item}); err != nil {
			log.Fatal(err)
		}
	}

	where := func(title string, at asof.At, valid string) {
		v, err := db.View("demo", at)
		if err != nil {
			log.Fatal(err)
		}
		defer v.Close()
		l := asof.Lookup{Src: "Ana", Rel: "lives_in"}
		if valid != "" {
			t, _, _, err := asof.ParseTime(valid, nil)
			if err != nil {
				log.Fatal(err)
			}
			l.Valid = &t
		}
		q, _, err := v.Query(l)
		if err != nil {
			log.Fatal(err)
		}
		for f, err := range v.Facts(q) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(title, f.DstName, f.Valid)
		}
	}
	april, _, _, err := asof.ParseTime("2023-04-01T00:00:00Z", nil)
	if err != nil {
		log.Fatal(err)
	}
	where("as recorded in April:", asof.AtTime(april), "")
	where("as it was on 20 May, by what is known now:", asof.At{}, "2023-05-20T00:00:00Z")

	hits, err := db.Search(ctx, "demo", asof.AtTime(dsl.Instant(april)), asof.SearchQuery{Text: "Where does Ana live?", K: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("found in April:", hits.Hits[0].Text, hits.Hits[0].Turns)

	// Output:
	// as recorded in April: Boston [2023-03-01T09:00:00Z, ∞)
	// as it was on 20 May, by what is known now: Seattle [2023-05-01T00:00:00Z, ∞)
	// found in April: Ana lives in Boston [t1]
}
