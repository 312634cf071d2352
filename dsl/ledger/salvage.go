package ledger

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Salvage calls f with the messages of an embedded log, in order, up to the first damage, which it returns as Open or Read would:
// ErrCorrupt or ErrGap with file and byte. It needs no broker, so it also reads a log that Open refuses, and changes nothing in it.
// A half-written last message ends the log, as it does for Open. stream "" is DefaultStream. ErrLocked when the folder is in use;
// an error of f ends it and is returned as it is.
func Salvage(dir, stream string, f func(Message) error) (err error) {
	if stream == "" {
		stream = DefaultStream
	}
	fail := func(err error) error { return fmt.Errorf("ledger: salvage: %w", err) }
	blocks := blocksDir(dir, stream)
	if _, err := os.Stat(blocks); err != nil {
		return fail(err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return fail(err)
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	list, err := listBlocks(blocks)
	if err != nil {
		return fail(err)
	}
	clean := readCleanMark(dir) == cleanMark(list)
	r := newReader(1, madeWith(filepath.Join(filepath.Dir(blocks), "meta.inf")), f)
	for i, blk := range list {
		path := filepath.Join(blocks, blockName(blk.index))
		buf, err := os.ReadFile(path)
		if err != nil {
			return fail(err)
		}
		// What is whole is passed on first; what is wrong behind it is told then.
		good, _, fault := walkBlock(buf, stream, blk.index, r.next)
		for at := 0; at < good; {
			rec := blockRecord(buf[at:good])
			if _, err := subjectsOf(stream).partition(rec.subject); err != nil {
				return fail(blockFault(path, at, err))
			}
			if err := r.take(rec.seq, rec.data); err != nil {
				return r.fail("ledger: salvage", err)
			}
			at += rec.size
		}
		torn := i == len(list)-1 && !clean && !errors.Is(fault, ErrGap) && good < len(buf) && !anyRecordIn(buf[good+1:], stream, blk.index)
		if fault != nil && !torn {
			return fail(blockFault(path, good, fault))
		}
	}
	return nil
}

// madeWith gives the number of partitions that the broker's file about the stream says the log was made with; where that
// cannot be read the default, by which the messages then decode or do not.
func madeWith(path string) int {
	b, err := os.ReadFile(path)
	if err != nil {
		return DefaultPartitions
	}
	var meta struct {
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.Unmarshal(b, &meta); err != nil {
		return DefaultPartitions
	}
	if p, err := strconv.Atoi(meta.Metadata[metaPartitions]); err == nil && p >= 1 && p <= MaxPartitions {
		return p
	}
	return DefaultPartitions
}

// storedRecord is one whole record of a block file.
type storedRecord struct {
	seq     uint64
	subject string
	data    []byte
	size    int
}

// blockRecord takes the record at the start of buf apart; walkBlock has found it whole.
func blockRecord(buf []byte) storedRecord {
	length := binary.LittleEndian.Uint32(buf)
	subjectEnd := blockRecordHeader + int(binary.LittleEndian.Uint16(buf[20:]))
	start := subjectEnd
	if length&blockHeadersFlag != 0 {
		length &^= blockHeadersFlag
		start += 4 + int(binary.LittleEndian.Uint32(buf[subjectEnd:]))
	}
	end := int(length) - blockHashSize
	start = min(start, end) // the length of headers is not among what is hashed
	return storedRecord{seq: binary.LittleEndian.Uint64(buf[4:]), subject: string(buf[blockRecordHeader:subjectEnd]),
		data: buf[start:end:end], size: int(length)}
}
