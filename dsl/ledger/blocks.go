package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// The embedded broker's block files, as nats-server 2.15 writes them. They are read here, before the broker starts, for
// one reason: when its index is older than its blocks, the broker cuts a block off on disk at the first record that it
// cannot read, and with it whole records behind that one. A half-written last record may go that way; anything else
// is damage, which a person must see before anything is cut.
//
// A record is: length with the headers' flag (4), sequence (8), time (8), length of subject (2), subject,
// [length of headers (4), headers,] data, hash (8); little-endian.
const (
	blockRecordHeader = 4 + 8 + 8 + 2
	blockHashSize     = 8
	blockRecordMax    = 32 << 20
	blockHeadersFlag  = 1 << 31
	blockErasedFlag   = 1 << 63
	blockTombFlag     = 1 << 62
	blockSuffix       = ".blk"

	// cleanName is the file that lists block files and their sizes as the broker left them when it was stopped.
	cleanName = "CLEAN"
	// tornDir keeps the tails that the broker was let cut off.
	tornDir = "torn"
)

// inspection is what a look at the block files found.
type inspection struct {
	newest    int       // index of the newest block file, 0 for none
	verifier  *verifier // knows what was checked
	torn      string    // file with the tail that was kept aside, empty for none
	tornBlock string
	tornAt    int
}

func blocksDir(dir, stream string) string {
	return filepath.Join(dir, "jetstream", "$G", "streams", stream, "msgs")
}

func blockName(index int) string { return strconv.Itoa(index) + blockSuffix }

// blockFile is one block file's index and size in bytes.
type blockFile struct {
	index int
	size  int64
}

// listBlocks gives the block files in order; none when the folder is not there.
func listBlocks(dir string) ([]blockFile, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []blockFile
	for _, d := range entries {
		name, ok := strings.CutSuffix(d.Name(), blockSuffix)
		index, err := strconv.Atoi(name)
		if !ok || err != nil || index < 1 {
			continue
		}
		info, err := d.Info()
		if err != nil {
			return nil, err
		}
		list = append(list, blockFile{index: index, size: info.Size()})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].index < list[j].index })
	return list, nil
}

// inspectBlocks checks the block files in blocks: all of them when the broker was not stopped in order, else the last
// one, which is the only one that the broker then looks at. A half-written tail is kept aside in dir.
func inspectBlocks(dir, blocks, stream string) (inspection, error) {
	var found inspection
	list, err := listBlocks(blocks)
	if err != nil {
		return found, fmt.Errorf("list the log's blocks: %w", err)
	}
	clean := readCleanMark(dir) == cleanMark(list)
	check := list
	if clean && len(list) > 0 {
		check = list[len(list)-1:]
	}
	if found.verifier, err = newVerifier(blocks, stream, list, len(list)-len(check)); err != nil {
		return found, fmt.Errorf("look at the log's blocks: %w", err)
	}
	if len(list) == 0 {
		return found, nil
	}
	found.newest = list[len(list)-1].index
	var next uint64 // the sequence that the next record must have; 0 for any
	if !clean {
		next = 1
	}
	for i, blk := range check {
		path := filepath.Join(blocks, blockName(blk.index))
		buf, err := os.ReadFile(path)
		if err != nil {
			return found, fmt.Errorf("read the log's block: %w", err)
		}
		good, after, fault := walkBlock(buf, stream, blk.index, next)
		next = after
		if fault == nil {
			continue
		}
		last := i == len(check)-1
		if !last || clean || errors.Is(fault, ErrGap) || anyRecordIn(buf[good+1:], stream, blk.index) {
			return found, blockFault(path, good, fault)
		}
		found.tornBlock, found.tornAt = path, good
		if found.torn, err = keepTail(dir, blk.index, good, buf[good:]); err != nil {
			return found, err
		}
	}
	return found, nil
}

// walkBlock reads the records of a block and gives the length of what is whole, the sequence that must come next, and
// what is wrong there, if anything. next 0 takes any first sequence.
func walkBlock(buf []byte, stream string, index int, next uint64) (good int, after uint64, fault error) {
	check := newBlockChecker(stream, index)
	for good < len(buf) {
		seq, size, ok := check.record(buf[good:])
		switch {
		case !ok:
			return good, next, fmt.Errorf("%w: no whole record here", ErrCorrupt)
		case seq&(blockErasedFlag|blockTombFlag) != 0:
			return good, next, fmt.Errorf("%w: message %d was deleted from it", ErrGap, seq&^(blockErasedFlag|blockTombFlag))
		case next != 0 && seq != next:
			return good, next, fmt.Errorf("%w: message %d is where %d must be", ErrGap, seq, next)
		}
		next = seq + 1
		good += size
	}
	return good, next, nil
}

// anyRecordIn says whether a whole record starts anywhere in buf.
func anyRecordIn(buf []byte, stream string, index int) bool {
	check := newBlockChecker(stream, index)
	for i := range buf {
		if _, _, ok := check.record(buf[i:]); ok {
			return true
		}
	}
	return false
}

// blockChecker checks records against the hash key of their block.
type blockChecker struct {
	key [sha256.Size]byte
}

func newBlockChecker(stream string, index int) blockChecker {
	return blockChecker{key: sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, index))}
}

// record reads the record at the start of buf; ok is false when it is not whole.
func (c *blockChecker) record(buf []byte) (seq uint64, size int, ok bool) {
	if len(buf) < blockRecordHeader+blockHashSize {
		return 0, 0, false
	}
	length := binary.LittleEndian.Uint32(buf)
	subjectLen := int(binary.LittleEndian.Uint16(buf[20:]))
	headersLen := 0
	if length&blockHeadersFlag != 0 {
		length &^= blockHeadersFlag
		headersLen = 4
	}
	if length > blockRecordMax || int(length) > len(buf) || int(length) < blockRecordHeader+subjectLen+headersLen+blockHashSize {
		return 0, 0, false
	}
	size = int(length)
	h, err := highwayhash.New64(c.key[:])
	if err != nil { // the key has the one length that it may have
		return 0, 0, false
	}
	subjectEnd, hashAt := blockRecordHeader+subjectLen, size-blockHashSize
	h.Write(buf[4:20])
	h.Write(buf[blockRecordHeader:subjectEnd])
	h.Write(buf[subjectEnd+headersLen : hashAt])
	if !bytes.Equal(h.Sum(nil), buf[hashAt:size]) {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint64(buf[4:]), size, true
}

// keepTail writes the bytes that the broker will cut off to a file of their own and makes it durable.
func keepTail(dir string, index, at int, tail []byte) (string, error) {
	folder := filepath.Join(dir, tornDir)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return "", fmt.Errorf("keep a torn tail: %w", err)
	}
	path := filepath.Join(folder, fmt.Sprintf("%d-%d", index, at))
	if err := writeSynced(path, tail); err != nil {
		return "", fmt.Errorf("keep a torn tail: %w", err)
	}
	return path, nil
}

// cleanMark is the text of the clean mark for the given block files.
func cleanMark(list []blockFile) string {
	var b strings.Builder
	for _, blk := range list {
		fmt.Fprintf(&b, "%d %d\n", blk.index, blk.size)
	}
	return b.String()
}

// readCleanMark gives the text of the last clean mark, or one that no listing has.
func readCleanMark(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, cleanName))
	if err != nil {
		return "none"
	}
	return string(b)
}

// writeCleanMark notes the block files as they are now. A mark that is older than its files does not match them, so
// it need not be taken away.
func writeCleanMark(dir, blocks string) error {
	list, err := listBlocks(blocks)
	if err != nil {
		return fmt.Errorf("list the log's blocks: %w", err)
	}
	if err := writeSynced(filepath.Join(dir, cleanName), []byte(cleanMark(list))); err != nil {
		return fmt.Errorf("note that the log was closed in order: %w", err)
	}
	return nil
}

// writeSynced writes a file in place and syncs it and its folder.
func writeSynced(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o640)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	return errors.Join(err, syncDir(filepath.Dir(path)))
}
