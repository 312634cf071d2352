package configs

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Validate returns every fault of the configuration: values out of range, values that contradict
// each other, and values that this build does not honour yet, in the order of the table of keys.
func (c Config) Validate() []Fault {
	var faults []Fault
	for _, k := range keys {
		v := c.get(k.path)
		if why := k.want.check(v); why != "" {
			faults = append(faults, Fault{Path: k.path, Message: why})
		} else if why := k.built.lacks(v); why != "" {
			faults = append(faults, Fault{Path: k.path, Message: why, Kind: Unavailable})
		}
	}
	faults = append(faults, validatePredicates(c.Predicates)...)
	return append(faults, c.contradictions()...)
}

// lacks says why this build does not honour a valid value, or "".
func (b built) lacks(v any) string {
	if len(b.values) == 0 || slices.Contains(b.values, v) {
		return ""
	}
	honoured := make([]string, len(b.values))
	for i, h := range b.values {
		honoured[i] = spell(h)
	}
	return fmt.Sprintf("%s is not available yet (it needs %s); this build takes %s",
		spell(v), b.missing, strings.Join(honoured, ", "))
}

// contradictions returns the faults that no key has alone.
func (c Config) contradictions() []Fault {
	var faults []Fault
	if c.Triggers.TauArchive >= c.Triggers.TauKeep {
		faults = append(faults, Fault{Path: "triggers.tau_archive", also: "triggers.tau_keep", Message: fmt.Sprintf(
			"triggers.tau_archive, %v, is not below triggers.tau_keep, %v", c.Triggers.TauArchive, c.Triggers.TauKeep)})
	}
	if !c.Preprocess.Rule && !c.Preprocess.TinySeg {
		faults = append(faults, Fault{Path: "preprocess.rule", also: "preprocess.tiny_seg", Message: "preprocess.rule and preprocess.tiny_seg are both false, and nothing splits sentences"})
	}
	if c.Ledger.Replicas > 1 && c.Ledger.URL == "" {
		faults = append(faults, Fault{Path: "ledger.replicas", also: "ledger.url", Message: fmt.Sprintf(
			"%d replicas need a cluster; give its ledger.url, or 1 for the embedded server", c.Ledger.Replicas)})
	}
	if c.LLM.URL != "" && c.LLM.Model == "" {
		faults = append(faults, Fault{Path: "llm.model", also: "llm.url", Message: "llm.url names a server and llm.model no model; name it as the server knows it"})
	}
	return faults
}

// spell gives a value as a file spells it.
func spell(v any) string {
	switch v := v.(type) {
	case Threshold:
		if v == Off {
			return ModeOff
		}
	case time.Duration:
		return v.String()
	}
	return fmt.Sprint(v)
}
