package lint

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// hosts are the machines from which packages come. Each is cut in two, so that this file, which is
// looked through too, names none.
var hosts = func() *regexp.Regexp {
	var names []string
	for _, h := range [][2]string{
		{"proxy.gol", "ang.org"}, {"sum.gol", "ang.org"}, {"goproxy", ".io"}, {"goproxy", ".cn"},
		{"py", "pi.org"}, {"pythonhos", "ted.org"},
		{"registry.npm", "js.org"}, {"registry.yarn", "pkg.com"}, {"npm", "js.com"},
		{"repo1.ma", "ven.org"}, {"repo.ma", "ven.apache.org"}, {"central.sona", "type.com"}, {"oss.sona", "type.org"},
		{"crat", "es.io"},
		{"deb.deb", "ian.org"}, {"security.deb", "ian.org"}, {"archive.ubu", "ntu.com"},
		{"rubyg", "ems.org"}, {"nug", "et.org"}, {"conda.ana", "conda.org"},
	} {
		names = append(names, regexp.QuoteMeta(h[0]+h[1]))
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(names, "|") + `)\b`)
}()

// checkHosts finds the hosts of package registries in any text file. Which registry a machine uses
// is that machine's matter: a file that names one fails behind a mirror.
func checkHosts(t *Tree) []Fault {
	var faults []Fault
	for _, p := range slices.Sorted(maps.Keys(t.Text)) {
		for i, line := range bytes.Split(t.Text[p], []byte("\n")) {
			if host := hosts.Find(line); host != nil {
				faults = append(faults, Fault{p, i + 1, fmt.Sprintf("names the package registry %s", host)})
			}
		}
	}
	return faults
}
