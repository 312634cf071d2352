package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/asof-db/asof/dsl"
)

// ChangeKind says what a session does to a value.
type ChangeKind string

// The kinds: a value is new, another takes its place, it is taken back.
const (
	ValueAdded   ChangeKind = "add"
	ValueUpdated ChangeKind = "update"
	ValueDeleted ChangeKind = "delete"
)

// Value is something that a persona states.
type Value struct {
	// Text is the value as the data set spells it.
	Text string
	// Dislike tells that the persona dislikes it; it matters for preferences.
	Dislike bool
}

// ValueChange is one thing that a session of Memora states, replaces or takes
// back.
type ValueChange struct {
	// Session is the session_id.
	Session string
	Kind    ChangeKind
	// Class is preference, todo, event, content, goal, or the data set's own word
	// for another kind of activity.
	Class string
	// Slot is what the value is a value of: "actors", "project_proposal_1 budget",
	// the name of a calendar event.
	Slot string
	// Old is the value before an update or deletion, New the one after an addition
	// or update.
	Old, New Value
	// Shared are the turns that the data set says share the memory.
	Shared []string
}

const wantDetails = "what the session changes, as Memora writes operation_details"

// memoraDetails is what a session says it changes.
type memoraDetails struct {
	kind, operation string

	Item          jsontext.Value   `json:"item"`
	Category      string           `json:"category"`
	Subcategory   string           `json:"subcategory"`
	Preference    string           `json:"preference"`
	OldItem       string           `json:"old_item"`
	OldPreference string           `json:"old_preference"`
	ContentData   jsontext.Value   `json:"content_data"`
	Updates       []contentUpdate  `json:"memory_updates"`
	Deletes       []contentRemoval `json:"memory_deletes"`
}

type contentUpdate struct {
	Field string         `json:"field"`
	Added jsontext.Value `json:"added_item"`
	From  jsontext.Value `json:"updated_from"`
	To    jsontext.Value `json:"updated_to"`
}

type contentRemoval struct {
	Field   string         `json:"field"`
	Removed jsontext.Value `json:"removed_item"`
	From    jsontext.Value `json:"reverted_from"`
	To      jsontext.Value `json:"reverted_to"`
}

// calendarItem and the other items are what an activity is about.
type calendarItem struct {
	Event   string `json:"event_name"`
	Date    string `json:"date"`
	Created string `json:"created_at"`
	Updated string `json:"updated_at"`
}

type todoItem struct {
	Description string `json:"description"`
}

// details reads operation_details, which may be null.
func (c *cursor) details(d *memoraDetails) error {
	at := c.here()
	if k := c.dec.PeekKind(); k != '{' && k != 'n' {
		return c.unexpected(wantDetails)
	}
	v, err := c.dec.ReadValue()
	if err != nil {
		return c.failed(err, wantDetails)
	}
	if err := json.Unmarshal(v, d); err != nil {
		return c.bad(at, wantDetails, "%v", err)
	}
	// The values lie in the decoder's buffer until the next read.
	d.Item, d.ContentData = slices.Clone(d.Item), slices.Clone(d.ContentData)
	for i := range d.Updates {
		u := &d.Updates[i]
		u.Added, u.From, u.To = slices.Clone(u.Added), slices.Clone(u.From), slices.Clone(u.To)
	}
	for i := range d.Deletes {
		r := &d.Deletes[i]
		r.Removed, r.From, r.To = slices.Clone(r.Removed), slices.Clone(r.From), slices.Clone(r.To)
	}
	return nil
}

// changes gives what the session changes, in the order of the file.
func (s *rawDay) changes() ([]ValueChange, error) {
	d := &s.details
	kind := ChangeKind(d.operation)
	if d.kind == "no_memory" || d.operation == "" {
		return nil, nil
	}
	if kind != ValueAdded && kind != ValueUpdated && kind != ValueDeleted {
		return nil, fmt.Errorf("%w: operation %q is none of add, update, delete", dsl.ErrInvalid, shorten(d.operation))
	}
	base := ValueChange{Session: strconv.Itoa(s.id), Kind: kind}
	for i := range s.turns {
		if s.turns[i].shared {
			base.Shared = append(base.Shared, s.turns[i].turn.ID)
		}
	}
	switch {
	case d.kind == "preference":
		return []ValueChange{d.preference(base)}, nil
	case d.kind == "goal":
		base.Class, base.Slot = "goal", d.Subcategory
		base.set(Value{Text: plain(d.Item)})
		return []ValueChange{base}, nil
	case d.Category == "calendar_event":
		return d.calendar(base)
	case d.Category == "todo_list":
		var item todoItem
		if err := unmarshalItem(d.Item, &item); err != nil {
			return nil, err
		}
		base.Class, base.Slot = "todo", "todo_list"
		base.set(Value{Text: item.Description})
		return []ValueChange{base}, nil
	case d.Category != "":
		base.Class, base.Slot = d.Category, d.Category
		base.set(Value{Text: string(d.Item)})
		return []ValueChange{base}, nil
	}
	return d.content(base)
}

// set puts the value where the kind has it.
func (c *ValueChange) set(v Value) {
	if c.Kind == ValueDeleted {
		c.Old = v
	} else {
		c.New = v
	}
}

func unmarshalItem(v jsontext.Value, into any) error {
	if err := json.Unmarshal(v, into); err != nil {
		return fmt.Errorf("%w: item: %v", dsl.ErrInvalid, err)
	}
	return nil
}

// plain gives a value as text: a string without its quotes, a number as spelled.
func plain(v jsontext.Value) string {
	if len(v) > 0 && v[0] == '"' {
		if b, err := jsontext.AppendUnquote(nil, v); err == nil {
			return string(b)
		}
	}
	return string(v)
}

func (d *memoraDetails) preference(c ValueChange) ValueChange {
	c.Class, c.Slot = "preference", d.Subcategory
	now := Value{plain(d.Item), d.Preference == "dislike"}
	if c.Kind != ValueUpdated {
		c.set(now)
		return c
	}
	c.New, c.Old = now, Value{now.Text, d.OldPreference == "dislike"}
	if d.OldItem != "" {
		c.Old.Text = d.OldItem
	}
	return c
}

// calendar gives the change of an event: its value is its date, its slot its
// name.
func (d *memoraDetails) calendar(c ValueChange) ([]ValueChange, error) {
	var item calendarItem
	if err := unmarshalItem(d.Item, &item); err != nil {
		return nil, err
	}
	c.Class, c.Slot = "event", item.Event
	from := item.Created
	if item.Updated != "" {
		from = item.Updated
	}
	c.set(Value{Text: from + " " + item.Date})
	return []ValueChange{c}, nil
}

// content gives the changes of a text that persona and assistant write together:
// every part of it is a value.
func (d *memoraDetails) content(c ValueChange) ([]ValueChange, error) {
	c.Class = "content"
	name := plain(d.Item)
	var out []ValueChange
	add := func(kind ChangeKind, field string, old, now jsontext.Value) {
		v := c
		v.Kind, v.Slot = kind, name+" "+field
		v.Old, v.New = Value{Text: plain(old)}, Value{Text: plain(now)}
		out = append(out, v)
	}
	for _, u := range d.Updates {
		if len(u.From) > 0 || len(u.To) > 0 {
			add(ValueUpdated, u.Field, u.From, u.To)
		} else {
			add(ValueAdded, u.Field, nil, u.Added)
		}
	}
	for _, r := range d.Deletes {
		if len(r.From) > 0 || len(r.To) > 0 {
			add(ValueUpdated, r.Field, r.From, r.To)
		} else {
			add(ValueDeleted, r.Field, r.Removed, nil)
		}
	}
	if c.Kind != ValueAdded || len(d.ContentData) == 0 || d.ContentData[0] != '{' || len(out) > 0 {
		return out, nil
	}
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(d.ContentData, &fields); err != nil {
		return nil, fmt.Errorf("%w: content_data: %v", dsl.ErrInvalid, err)
	}
	names := make([]string, 0, len(fields))
	for f := range fields {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		var list []jsontext.Value
		if v := fields[f]; len(v) == 0 || v[0] != '[' || json.Unmarshal(v, &list) != nil {
			list = []jsontext.Value{v}
		}
		for _, v := range list {
			add(ValueAdded, f, nil, slices.Clone(v))
		}
	}
	return out, nil
}

// fillOld gives the updates that do not name the value before (a calendar
// event's, a goal's) the one that the slot had.
func fillOld(changes []ValueChange) []ValueChange {
	last := map[string]Value{}
	for i := range changes {
		c := &changes[i]
		if c.Class != "event" && c.Class != "goal" {
			continue
		}
		key := c.Class + "\x00" + strings.ToLower(c.Slot)
		if c.Kind == ValueUpdated && c.Old.Text == "" {
			c.Old = last[key]
		}
		last[key] = c.New
	}
	return changes
}
