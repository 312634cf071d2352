package eval

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// writeLeak writes the files of a leak run.
func writeLeak(dir *folder, s *LeakSummary, spaces []leakSpace, opt *LeakOptions) error {
	info, err := opt.Manifest.dataInfo()
	if err != nil {
		return err
	}
	counts := map[string]int{"spaces": s.Spaces, "turns": s.Turns, "positions": s.Positions, "probes": s.Probes, "leaks": s.Leaks, "seed": int(opt.Seed)}
	return errors.Join(writeProbes(dir, spaces), writeLeakMetrics(dir, s), writeLeakSummary(dir, s, info, opt.Seed),
		writeRunManifest(dir, "leak", &opt.Manifest, info, counts))
}

// writeProbes writes probes.csv: one line a probe.
func writeProbes(dir *folder, spaces []leakSpace) error {
	f, err := dir.create("probes.csv")
	if err != nil {
		return err
	}
	record(f, "space", "position", "record", "asked_by", "view", "k", "name", "query", "sha256", "leaks_in")
	names := partNames()
	for i := range spaces {
		for j := range spaces[i].probes {
			p := &spaces[i].probes[j]
			var bad []string
			for part := range parts {
				if p.before[part] != p.after[part] {
					bad = append(bad, names[part])
				}
			}
			by, view := "position", string(p.query.View)
			if p.byTime {
				by = "time"
			}
			if view == "" {
				view = "ar"
			}
			record(f, spaces[i].space, p.seq.String(), p.time.String(), by, view, strconv.Itoa(p.query.K), p.name, p.query.Text,
				p.before[partSearch].String(), strings.Join(bad, " "))
		}
	}
	return nil
}

func writeLeakMetrics(dir *folder, s *LeakSummary) error {
	f, err := dir.create("metrics.csv")
	if err != nil {
		return err
	}
	record(f, "metric", "category", "n", "value")
	record(f, "leaks", "all", strconv.Itoa(s.Probes), strconv.Itoa(s.Leaks))
	for _, p := range s.ByPart {
		record(f, "leaks", p.Part, strconv.Itoa(s.Probes), strconv.Itoa(p.Leaks))
	}
	record(f, "early_events", "all", strconv.Itoa(s.Probes), strconv.Itoa(s.Early))
	for _, name := range tricks() {
		record(f, "adversary", name, strconv.Itoa(s.Played[name]+s.Refused[name]), strconv.Itoa(s.Played[name]))
	}
	return nil
}

func writeLeakSummary(dir *folder, s *LeakSummary, info *DataInfo, seed uint64) error {
	f, err := dir.create("summary.md")
	if err != nil {
		return err
	}
	fmt.Fprintf(f, "# Leaks of the future into views of the past\n\n")
	if info != nil {
		fmt.Fprintf(f, "Data: `%s`, SHA-256 `%s`. ", info.Name, info.SHA256)
	}
	fmt.Fprintf(f, "Seed %d.\n\n**%d leaks in %d probes** over %d spaces, %d turns, %d positions.\n\n", seed, s.Leaks, s.Probes, s.Spaces, s.Turns, s.Positions)
	fmt.Fprintf(f, "| part of the answer | probes that differ |\n|---|---:|\n")
	for _, p := range s.ByPart {
		fmt.Fprintf(f, "| %s | %d |\n", p.Part, p.Leaks)
	}
	fmt.Fprintf(f, "\nEvents that a view showed before their evidence was complete (I9): %d.\n", s.Early)
	fmt.Fprintf(f, "\nWhat the adversary put into the logs, and what the memory refused:\n\n| | taken | refused |\n|---|---:|---:|\n")
	for _, name := range tricks() {
		fmt.Fprintf(f, "| %s | %d | %d |\n", name, s.Played[name], s.Refused[name])
	}
	fmt.Fprintf(f, "\nDefinitions in eval/METRICS.md, every probe in probes.csv.\n")
	return nil
}
