package extract_test

import (
	"fmt"
	"log"

	"github.com/asof-db/asof/dsl"
	"github.com/asof-db/asof/extract"
)

// said gives what Anna said to Ben in May 2023.
func said(text string) extract.Context {
	at, zone, err := extract.ParseTime("2023-05-10T14:00:00", "Europe/Berlin")
	if err != nil {
		log.Fatal(err)
	}
	return extract.Context{Turn: dsl.Turn{ID: "t1", Speaker: dsl.Plain("Anna"), Listener: dsl.Plain("Ben"), TS: at, Zone: zone, Text: dsl.Plain(text)}}
}

func pipeline() *extract.Pipeline {
	p, err := extract.New(extract.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func ExamplePipeline_ExtractEntities() {
	for _, m := range pipeline().ExtractEntities(said("My sister Maria works in Lisbon; write to maria@example.org. 我朋友王芳住在上海。")) {
		fmt.Println(m.Type, m.Text)
	}
	// Output:
	// PERSON Maria
	// LOC Lisbon
	// EMAIL maria@example.org
	// PERSON 王芳
	// LOC 上海
}

func ExamplePipeline_ResolveCoref() {
	for _, c := range pipeline().ResolveCoref(said("My sister Maria called. She is in Lisbon.")) {
		fmt.Println(c.Text, "is", c.RefersTo)
	}
	// Output:
	// She is Maria
}

func ExamplePipeline_ExtractRelations() {
	for _, r := range pipeline().ExtractRelations(said("I moved to Lisbon last month. 我喜欢爬山。")) {
		fmt.Println(r.Src, r.Rel, r.Dst, r.Stated.From)
	}
	// Output:
	// Anna lives_in Lisbon 2023-04
	// Anna prefers.activity 爬山
}
