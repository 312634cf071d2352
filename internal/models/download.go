package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// isAddress tells an address from a folder.
func isAddress(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// join puts an address together; the parts may hold slashes of their own.
func join(base string, parts ...string) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(base, "/"))
	for _, part := range parts {
		for piece := range strings.SplitSeq(part, "/") {
			b.WriteByte('/')
			b.WriteString(url.PathEscape(piece))
		}
	}
	return b.String()
}

// download fetches an address into the half file, from where an earlier try stopped. If what came of
// two tries is wrong, it is fetched once more as a whole.
func (p *pulling) download(ctx context.Context, f File, address string) error {
	had := int64(0)
	if info, err := os.Stat(p.part(f.Name)); err == nil {
		had = info.Size()
	}
	if f.Size > 0 && had >= f.Size {
		had = 0
	}
	if had > 0 {
		p.note("%s: going on at byte %d of %s", f.Name, had, address)
	} else {
		p.note("%s: fetching %s", f.Name, address)
	}
	resumed, err := p.get(ctx, f, address, had)
	if err != nil || !resumed {
		return err
	}
	want := wanted(f, p.pins)
	if have, _, err := hashFile(p.part(f.Name)); err != nil || have == want || want == Unknown {
		return err
	}
	p.note("%s: the parts do not fit: fetching it as a whole", f.Name)
	_, err = p.get(ctx, f, address, 0)
	return err
}

// get fetches an address, from byte had on if the server can; else from the beginning.
func (p *pulling) get(ctx context.Context, f File, address string, had int64) (resumed bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, err
	}
	if had > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", had))
	}
	client := p.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	switch {
	case response.StatusCode == http.StatusOK:
		return false, p.fill(f, response.Body) // What came before a break stays for the next try.
	case response.StatusCode == http.StatusPartialContent && strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", had)):
		return true, p.append(f, response.Body, had)
	case had > 0:
		// The server will not go on from there: begin anew.
		return p.get(ctx, f, address, 0)
	}
	return false, fmt.Errorf("%s answers %s", address, response.Status)
}

// append adds to the half file.
func (p *pulling) append(f File, in io.Reader, had int64) error {
	out, err := os.OpenFile(p.part(f.Name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = copyAtMost(out, in, f, had)
	return errors.Join(err, out.Close())
}
