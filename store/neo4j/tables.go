package neo4j

import (
	"fmt"
	"strings"
)

// row is one node or relationship of the graph: the values of its table's
// columns, in order. A value is an int64, float64, string, bool or []any of one of
// them; nil where the property is absent.
type row []any

// table is a kind of node or relationship. Its first two columns are always the
// generation and the space. A column "a.id" is no property of a relationship but
// of the node that it begins at, "b.id" of the one that it ends at.
type table struct {
	// name is the label or the relationship's type.
	name    string
	columns []string
	// keys are the columns, beside the first, that identify a row in a generation.
	keys []string
	// from and to are the labels of a relationship's ends; empty for a node.
	from, to string
	// stubs tells which ends are made where they are not there yet: what is named
	// before it is recorded.
	stubFrom, stubTo bool
	// merge tells that a node may be there already, as a stub.
	merge bool
}

// The tables. Instants are microseconds, an open end is the greatest int64 and an
// open start the least (dsl.Forever, dsl.Beginning).
var (
	nodeTable = &table{name: "Node", keys: []string{"id"}, columns: words(
		"generation space id kind name norm opened record_from")}
	turnTable = &table{name: "Turn", keys: []string{"id"}, merge: true, columns: words(
		"generation space id session speaker listener ts zone text replaces opened record_from replaced_by replaced_from")}
	anchorTable = &table{name: "Fact", keys: []string{"id"}, merge: true, columns: words("generation space id")}
	eventTable  = &table{name: "Event", keys: []string{"id", "version"}, merge: true, columns: words(
		"generation space id version summary status span_from span_to opened closed record_from record_to visible_from reason turn")}
	episodeTable = &table{name: "Episode", keys: []string{"id"}, columns: words(
		"generation space id span_from span_to visible_from sessions")}

	factTable = &table{name: "FACT", from: "Node", to: "Node", keys: []string{"id", "version"}, columns: words(
		"generation space a.id b.id id version rel relation valid_from valid_to opened closed record_from record_to archived_from" +
			" confidence stated confidence_steps confidence_from source evidence op reason turn close_op close_reason close_turn")}
	evidenceTable = &table{name: "EVIDENCE", from: "Turn", to: "Fact", stubFrom: true, stubTo: true,
		keys: []string{"b.id", "version", "opened", "operation", "ordinal"}, columns: words(
			"generation space a.id b.id version opened operation ordinal record_from record_to")}
	witnessTable = &table{name: "EVIDENCE", from: "Turn", to: "Event", stubFrom: true, keys: []string{"b.id", "b.version", "ordinal"}, columns: words(
		"generation space a.id b.id b.version ordinal")}
	participantTable = &table{name: "PARTICIPANT", from: "Event", to: "Node", keys: []string{"a.id", "a.version", "ordinal"}, columns: words(
		"generation space a.id a.version b.id ordinal role")}
	includesTable = &table{name: "INCLUDES", from: "Event", to: "Fact", stubTo: true, keys: []string{"a.id", "a.version", "ordinal"}, columns: words(
		"generation space a.id a.version b.id ordinal")}
	aliasTable    = linkTable("ALIAS_OF", "Node")
	mentionTable  = linkTable("MENTIONS", "Node")
	tiedTable     = &table{name: "TIED_TO", from: "Event", to: "Event", stubFrom: true, stubTo: true, keys: linkKeys, columns: words("generation space a.id a.version b.id b.version " + linkColumns)}
	containsTable = &table{name: "CONTAINS", from: "Episode", to: "Event", keys: []string{"a.id", "ordinal"}, columns: words(
		"generation space a.id b.id b.version ordinal")}
)

const linkColumns = "id opened record_from record_to reason"

var linkKeys = words("id opened")

func linkTable(name, label string) *table {
	return &table{name: name, from: label, to: label, keys: linkKeys, columns: words("generation space a.id b.id " + linkColumns)}
}

// tables are all of them; nodes come before the relationships that join them.
var tables = []*table{nodeTable, turnTable, anchorTable, eventTable, episodeTable,
	factTable, evidenceTable, witnessTable, participantTable, includesTable, aliasTable, mentionTable, tiedTable, containsTable}

func words(s string) []string { return strings.Fields(s) }

func (t *table) isNode() bool { return t.from == "" }

// column gives the index of a column.
func (t *table) column(name string) int {
	for i, c := range t.columns {
		if c == name {
			return i
		}
	}
	panic("neo4j: table " + t.name + " has no column " + name) // a mistake in this package
}

// key names a row within its table and generation.
func (t *table) key(r row) string {
	var b strings.Builder
	for i, k := range t.keys {
		if i > 0 {
			b.WriteByte('/')
		}
		fmt.Fprint(&b, r[t.column(k)])
	}
	return b.String()
}

// title tells the two tables of one type apart.
func (t *table) title() string {
	if t.isNode() {
		return t.name
	}
	return t.name + " of " + t.to
}

// assign gives "name: r[i], …" for the columns that are properties of the node or
// relationship itself.
func (t *table) assign() string {
	var list []string
	for i, c := range t.columns {
		if !strings.Contains(c, ".") {
			list = append(list, fmt.Sprintf("%s: r[%d]", c, i))
		}
	}
	return strings.Join(list, ", ")
}

// match gives the pattern of a node by generation and key columns; prefix is that
// of the columns, "" for the table's own.
func (t *table) match(variable, label, prefix string) string {
	list := []string{"generation: r[0]"}
	for i, c := range t.columns {
		name, ok := strings.CutPrefix(c, prefix)
		if ok && prefix != "" || prefix == "" && contains(t.keys, c) {
			list = append(list, fmt.Sprintf("%s: r[%d]", name, i))
		}
	}
	return fmt.Sprintf("(%s:%s {%s})", variable, label, strings.Join(list, ", "))
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// create gives the statement that writes rows, $rows, and counts them. Where an end
// of a relationship is missing the count is less than the rows.
func (t *table) create(labels string) string {
	var b strings.Builder
	b.WriteString("UNWIND $rows AS r ")
	switch {
	case t.isNode() && t.merge:
		fmt.Fprintf(&b, "MERGE %s SET n += {%s}", t.match("n", t.name, ""), t.assign())
	case t.isNode():
		fmt.Fprintf(&b, "CREATE (n:%s%s {%s})", t.name, labels, t.assign())
	default:
		b.WriteString(t.ends())
		fmt.Fprintf(&b, "CREATE (a)-[:%s {%s}]->(b)", t.name, t.assign())
	}
	b.WriteString(" RETURN count(*)")
	return b.String()
}

// ends gives the clauses that find the ends of a relationship, or make them where
// they may be missing.
func (t *table) ends() string {
	var b strings.Builder
	ends := []struct {
		variable, label string
		stub            bool
	}{{"a", t.from, t.stubFrom}, {"b", t.to, t.stubTo}}
	if t.stubFrom && !t.stubTo {
		ends[0], ends[1] = ends[1], ends[0] // Cypher wants MATCH before MERGE
	}
	for _, end := range ends {
		pattern := t.match(end.variable, end.label, end.variable+".")
		if end.stub {
			fmt.Fprintf(&b, "MERGE %s ON CREATE SET %s.space = r[1] ", pattern, end.variable)
		} else {
			fmt.Fprintf(&b, "MATCH %s ", pattern)
		}
	}
	return b.String()
}

// read gives the statement that reads the rows of a generation, $generation, as
// lists.
func (t *table) read() string {
	var list []string
	for _, c := range t.columns {
		switch {
		case t.isNode():
			c = "n." + c
		case !strings.Contains(c, "."):
			c = "r." + c
		}
		list = append(list, c)
	}
	values := "[" + strings.Join(list, ", ") + "] AS row"
	if t.isNode() {
		return fmt.Sprintf("MATCH (n:%s) WHERE %s RETURN %s", t.name, indexed("n", t), values)
	}
	return fmt.Sprintf("MATCH (a:%s)-[r:%s]->(b:%s) WHERE %s RETURN %s", t.from, t.name, t.to, indexed("a", nodeTables[t.from]), values)
}

// nodeTables are the tables of nodes by label.
var nodeTables = map[string]*table{"Node": nodeTable, "Turn": turnTable, "Fact": anchorTable, "Event": eventTable, "Episode": episodeTable}

// indexed gives the condition of a generation's nodes in a form that the index of
// their keys answers.
func indexed(variable string, t *table) string {
	cond := variable + ".generation = $generation"
	for _, k := range t.keys {
		cond += " AND " + variable + "." + k + " IS NOT NULL"
	}
	return cond
}
