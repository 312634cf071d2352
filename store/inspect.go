package store

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/asof-db/asof/dsl"
)

// ClassSize is what the rows of one class take.
type ClassSize struct {
	// Class is the name of the class; Tag its byte in keys.
	Class string `json:"class"`
	Tag   string `json:"tag"`
	// Logical tells whether the rows enter the digest.
	Logical bool `json:"logical"`
	Rows    int  `json:"rows"`
	// KeyBytes and ValueBytes are those of the rows as they are written, before
	// Pebble shares prefixes and compresses.
	KeyBytes   int64 `json:"key_bytes"`
	ValueBytes int64 `json:"value_bytes"`
}

// LevelSize is what one level of Pebble's tree takes.
type LevelSize struct {
	Level  int    `json:"level"`
	Tables int64  `json:"tables"`
	Bytes  uint64 `json:"bytes"`
}

// Sizes says what a store takes.
type Sizes struct {
	Classes []ClassSize `json:"classes"`
	// Levels are the levels that hold tables. Bytes is what tables and logs take
	// on disk, LogBytes what of it is in write-ahead logs, MemtableBytes what waits
	// in memory.
	Levels        []LevelSize `json:"levels"`
	Bytes         uint64      `json:"bytes"`
	LogBytes      uint64      `json:"log_bytes"`
	MemtableBytes uint64      `json:"memtable_bytes"`
}

// DecodedRow is one row of a space with what it says.
type DecodedRow struct {
	Class string `json:"class"`
	// Key is the key from the class on, in hexadecimal.
	Key string `json:"key"`
	// ID names what the row is about: a fact, an event, a node, a turn, a link.
	ID string `json:"id,omitzero"`
	// Position is that of the transaction that wrote the row; 0 where the row does
	// not tell.
	Position dsl.Seq `json:"position,omitzero"`
	// Value is what the row says, by field; for the rows of an index, whose form
	// is their own affair, its bytes in hexadecimal.
	Value map[string]any `json:"value"`
	// Fault says why the row cannot be read, empty where it can.
	Fault string `json:"fault,omitzero"`
}

// Classes gives the names of all classes, sorted.
func Classes() []string { return slices.Sorted(maps.Values(classNames)) }

// classTag gives the byte of a class by its name.
func classTag(name string) (byte, error) {
	for tag, n := range classNames {
		if n == name {
			return tag, nil
		}
	}
	return 0, fmt.Errorf("store: %w: there is no class %q; the classes are %q", dsl.ErrInvalid, name, Classes())
}

// Sizes counts the rows of a space, or of all where the name is empty, by class.
func (f *Frozen) Sizes(ctx context.Context, space string) (Sizes, error) {
	lo, hi := []byte{tableData}, []byte{tableData + 1}
	if space != "" {
		k := spaceKeys(space)
		lo, hi = k.prefix[:], after(k.prefix[:])
	}
	byTag := map[byte]*ClassSize{}
	n := 0
	err := eachRow(f.snap, lo, hi, func(key, value []byte) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		tag := byte(0)
		if len(key) > 9 {
			tag = key[9]
		}
		c := byTag[tag]
		if c == nil {
			name := classNames[tag]
			if name == "" {
				name = "unknown"
			}
			c = &ClassSize{Class: name, Tag: printable(tag), Logical: isLogical(tag)}
			byTag[tag] = c
		}
		c.Rows++
		c.KeyBytes += int64(len(key))
		c.ValueBytes += int64(len(value))
		return nil
	})
	if err != nil {
		return Sizes{}, fmt.Errorf("store: sizes: %w", err)
	}
	var out Sizes
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		out.Classes = append(out.Classes, *byTag[tag])
	}
	m := f.shadow.db.Metrics()
	for i, l := range m.Levels {
		if l.TablesCount > 0 {
			out.Levels = append(out.Levels, LevelSize{Level: i, Tables: l.TablesCount, Bytes: uint64(l.TablesSize)})
		}
	}
	out.Bytes, out.LogBytes, out.MemtableBytes = m.DiskSpaceUsage(), m.WAL.PhysicalSize, m.MemTable.Size
	return out, nil
}

func printable(tag byte) string {
	if tag >= 0x21 && tag < 0x7f {
		return string(rune(tag))
	}
	return fmt.Sprintf("0x%02x", tag)
}

// Rows calls fn with the rows of a space in order of key, those of one class
// where it is named, until fn returns false. Rows that cannot be read are given
// with their fault.
func (f *Frozen) Rows(ctx context.Context, space, class string, fn func(DecodedRow) bool) error {
	k := spaceKeys(space)
	lo := k.prefix[:]
	if class != "" {
		tag, err := classTag(class)
		if err != nil {
			return err
		}
		lo = k.class(tag)
	}
	n := 0
	err := eachRow(f.snap, lo, after(lo), func(key, value []byte) error {
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !fn(describe(key[len(k.prefix):], value)) {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("store: rows of %q: %w", space, err)
	}
	return nil
}

// describe decodes a row whose key begins with its class.
func describe(key, value []byte) DecodedRow {
	row := DecodedRow{Class: "unknown", Key: hex.EncodeToString(key), Value: map[string]any{}}
	if len(key) == 0 {
		row.Fault = "the key has no class"
		return row
	}
	if name := classNames[key[0]]; name != "" {
		row.Class = name
	}
	if !wellFormed(key) {
		row.Fault = "the key has not the length of its class"
		row.Value["hex"] = hex.EncodeToString(value)
		return row
	}
	if err := decodeRow(&row, key, value); err != nil {
		row.Fault = err.Error()
		row.Value = map[string]any{"hex": hex.EncodeToString(value)}
	}
	return row
}

// decodeRow fills in what a row says.
func decodeRow(row *DecodedRow, key, value []byte) error {
	put := func(pairs ...any) {
		for i := 0; i < len(pairs); i += 2 {
			row.Value[pairs[i].(string)] = pairs[i+1]
		}
	}
	switch key[0] {
	case clPosition:
		p, err := decodePosition(keySeq(key, 1), value)
		row.Position = keySeq(key, 1)
		put("record", p.Time, "entry", p.Entry, "digest", p.Digest, "set_hash", hex.EncodeToString(p.acc[:]), "kind", p.Kind,
			"turn", p.Turn, "settings", p.Settings, "turns", p.Turns, "facts", p.Facts, "events", p.Events, "open", p.Open, "dropped", p.dropped, "memory", p.memory, "changes", p.changed)
		return err
	case clTurn:
		t, err := decodeTurn(int(binary.BigEndian.Uint32(key[1:])), value)
		row.ID, row.Position = t.ID, t.Seq
		put("number", t.Doc, "record", t.Record, "sha256", t.Hash, "turn", t.Turn)
		return err
	case clSettings:
		r := reader{b: value}
		row.Position = dsl.Seq(r.uvar())
		row.ID = hex.EncodeToString(key[1:])
		var s dsl.Settings
		if err := dsl.Decode(r.b, &s); err != nil {
			return err
		}
		put("settings", s)
		return nil
	case clNode:
		n, err := decodeNode(value)
		row.ID, row.Position = n.ID, n.seq
		put("kind", n.Kind, "name", n.Name)
		return err
	case clVersion:
		v, err := decodeVersion(value)
		row.ID, row.Position = v.id, v.opened
		put("version", v.version, "src", v.src, "rel", v.rel, "dst", v.dst, "relation", v.relation, "valid", v.valid,
			"record", v.openedAt, "operation", v.op, "confidence", v.confidence, "source", v.source, "evidence_id", v.evidence,
			"archived", v.archived, "op", v.opKind, "reason", v.reason, "turn", v.turn)
		return err
	case clClosing, clArchive:
		c, err := decodeClosing(value)
		row.Position = c.seq
		put("fact_key", hex.EncodeToString(key[1:17]), "record", c.at, "operation", c.op, "op", c.opKind, "reason", c.reason, "turn", c.turn)
		if key[0] == clClosing {
			put("version", binary.BigEndian.Uint32(key[17:]))
		}
		return err
	case clLink:
		l, err := decodeLink(value)
		row.ID, row.Position = l.id, keySeq(key, 17)
		put("kind", l.kind, "from", l.from, "to", l.to, "retract", l.retract, "confidence", l.confidence, "reason", l.reason,
			"operation", int(binary.BigEndian.Uint16(key[25:])))
		return err
	case clEvent:
		e, err := decodeEvent(value)
		row.ID, row.Position = e.ID, e.Opened
		put("version", e.Version, "summary", e.Summary, "time_span", e.Span, "participants", e.Participants, "includes_fact", e.Includes,
			"evidence_id", e.Evidence, "status", e.Status, "record", e.Record.Start, "reason", e.reason, "turn", e.turn)
		return err
	case clMemory:
		row.Position = keySeq(key, 1)
		var m dsl.Memory
		err := dsl.Decode(value, &m)
		put("memory", m)
		return err
	case clHeld:
		h, err := decodeHeld(value)
		row.Position = keySeq(key, 1)
		put("index", int(binary.BigEndian.Uint16(key[9:])), "turn", h.By, "candidate", h.Candidate)
		return err
	case clPlace, clTurnID, clKnown:
		r := reader{b: value}
		n := r.uvar()
		switch key[0] {
		case clPlace:
			row.Position = keySeq(key, 1)
			put("message", n)
		case clTurnID:
			put("number", n)
		default:
			row.Position = dsl.Seq(n)
			put("content", hex.EncodeToString(key[1:]))
		}
		return r.done(row.Class)
	}
	put("hex", hex.EncodeToString(value))
	return nil
}
