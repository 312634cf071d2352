package lint

// Rule is one rule of the house.
type Rule struct {
	// Name is a word or two, the name of the rule's subtest.
	Name string
	// Check returns the rule's faults in a tree.
	Check func(*Tree) []Fault
}

// Rules are all rules.
var Rules = []Rule{
	{"parses", func(t *Tree) []Fault { return t.Broken }},
	{"imports", checkImports},
	{"clock", checkClock},
	{"math", checkMath},
	{"docs", checkDocs},
	{"names", checkNames},
	{"globals", checkGlobals},
	{"length", checkLength},
	{"later", checkLater},
	{"hosts", checkHosts},
}
