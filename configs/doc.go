// Package configs holds the profiles of asof and the code that reads them.
//
// A profile is one YAML file. default.yaml, which is built into the binary, needs no model and no
// server; every other file is laid over it, so a file says only what it wants otherwise. p1.yaml
// holds the values of the plan, under the plan's own names.
//
// Reading is strict and complete: an unknown key, a value of the wrong type or out of range, a key
// given twice, a second document, two spellings of one switch that disagree: each is a [Fault] with
// its path and line, and all of them are reported at once. A value that is right but that this
// build cannot honour yet is a fault of its own kind ([Unavailable]): it is refused, never ignored.
//
// # Two classes of keys
//
// Semantic keys change what is believed or what is returned: extraction, assimilation, events,
// retrieval, packing. They are written whole into the first transaction of each space that runs
// under them, and their hash is part of every basis; [Config.Semantic] gives them.
//
// Operational keys change how fast, where or with how much memory the same answers come about:
// cache sizes, the broker's address, group sizes, the shape of evaluation reports. They are no part
// of a basis. The door's keys (ingest.*, timezone) are operational too: what they decide (which
// turns come in, and at which instant a zone-less time was said) is written in the turn itself, and
// a replay never asks them again.
//
// Which key is of which class, its range, and what this build honours of it stand in one table, keys.
package configs
