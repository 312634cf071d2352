package ledger

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The message format, versions 1 and 2 (FORMAT.md gives it byte by byte). All integers are big-endian. Every field has one
// width and one place, so a message has exactly one encoding.
const (
	// messageMagic opens a message of the log; its last byte is the version.
	messageMagic = "asoflog1"
	// groupMagic opens a message of several partitions, and groupPartition stands for its partition. All else is as in version 1.
	groupMagic     = "asoflog2"
	groupPartition = 1<<16 - 1
	// itemMagic opens every message of the intake; its last byte is the version.
	itemMagic = "asofin_1"
	// magicSize is the length of both, in bytes.
	magicSize = 8
	// crcSize is the length of a checksum, in bytes.
	crcSize = 4
	// messageHeaderSize is magic, partition (2), prev (8), count (4) and their checksum.
	messageHeaderSize = magicSize + 2 + 8 + 4 + crcSize
	// recordHeaderSize is the length of data (4) and of the space's name (2), and the position (8).
	recordHeaderSize = 4 + 2 + 8
	// recordOverhead is what a record costs beyond its space's name and its data.
	recordOverhead = recordHeaderSize + crcSize
	// itemHeaderSize is magic and the length of the data (4).
	itemHeaderSize = magicSize + 4
	// itemOverhead is what an item costs beyond its data.
	itemOverhead = itemHeaderSize + crcSize
)

// castagnoli is the polynomial of all checksums: processors compute it, and it finds every error burst of up to 32 bits.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// EncodedSize is the length in bytes of the message that holds recs; Append takes it up to MaxBatchBytes.
func EncodedSize(recs ...Record) int {
	n := messageHeaderSize
	for i := range recs {
		n += RecordSize(recs[i])
	}
	return n
}

// RecordSize is what one record adds to a message, in bytes. A message without records has EncodedSize().
func RecordSize(r Record) int {
	return recordOverhead + len(r.Space) + len(r.Data)
}

// encodeMessage gives the message that holds recs, which must be valid. prev is the sequence of the partition's
// message before it; for Several, of the log's last one.
func encodeMessage(p int, prev uint64, recs []Record) []byte {
	b := make([]byte, 0, EncodedSize(recs...))
	if p == Several {
		b = append(b, groupMagic...)
		b = binary.BigEndian.AppendUint16(b, groupPartition)
	} else {
		b = append(b, messageMagic...)
		b = binary.BigEndian.AppendUint16(b, uint16(p))
	}
	b = binary.BigEndian.AppendUint64(b, prev)
	b = binary.BigEndian.AppendUint32(b, uint32(len(recs)))
	b = appendCRC(b, 0)
	for i := range recs {
		start := len(b)
		b = binary.BigEndian.AppendUint32(b, uint32(len(recs[i].Data)))
		b = binary.BigEndian.AppendUint16(b, uint16(len(recs[i].Space)))
		b = binary.BigEndian.AppendUint64(b, recs[i].Seq)
		b = append(b, recs[i].Space...)
		b = append(b, recs[i].Data...)
		b = appendCRC(b, start)
	}
	return b
}

func appendCRC(b []byte, from int) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// decodeMessage reads the message b of a log of the given number of partitions; the result keeps parts of b.
// It refuses whatever encodeMessage would not have written. seq is only for the message's place in errors.
func decodeMessage(seq uint64, b []byte, partitions int) (Message, error) {
	m := Message{Seq: seq}
	group := len(b) >= magicSize && string(b[:magicSize]) == groupMagic
	if !group {
		if err := checkMagic(b, messageMagic); err != nil {
			return m, place(seq, 0, err)
		}
	}
	if len(b) < messageHeaderSize {
		return m, place(seq, 0, fmt.Errorf("%w: %d bytes are too few for a header", ErrCorrupt, len(b)))
	}
	if !checkCRC(b[:messageHeaderSize]) {
		return m, place(seq, 0, fmt.Errorf("%w: the header's checksum does not match", ErrCorrupt))
	}
	m.Partition = int(binary.BigEndian.Uint16(b[8:]))
	m.Prev = binary.BigEndian.Uint64(b[10:])
	count := binary.BigEndian.Uint32(b[18:])
	switch {
	case group && m.Partition == groupPartition:
		m.Partition = Several
	case group || m.Partition >= partitions:
		return m, place(seq, 8, fmt.Errorf("%w: partition %d of %d", ErrCorrupt, m.Partition, partitions))
	}
	if m.Prev >= seq || group && m.Prev != seq-1 {
		return m, place(seq, 10, fmt.Errorf("%w: it follows message %d", ErrCorrupt, m.Prev))
	}
	off := messageHeaderSize
	// A record has at least its overhead and one byte of name, which bounds what is allocated for any count.
	if count == 0 || count > MaxRecords || int(count) > (len(b)-off)/(recordOverhead+1) {
		return m, place(seq, 18, fmt.Errorf("%w: %d records in %d bytes", ErrCorrupt, count, len(b)))
	}
	m.Records = make([]Record, 0, count)
	var order spaceOrder
	for range count {
		r, n, err := decodeRecord(b[off:])
		if err == nil && !group && (len(m.Records) == 0 || m.Records[len(m.Records)-1].Space != r.Space) {
			if got := Partition(r.Space, partitions); got != m.Partition {
				err = fmt.Errorf("%w: space %q is of partition %d, its message of %d", ErrCorrupt, r.Space, got, m.Partition)
			}
		}
		if err == nil {
			if bad := order.check(r.Space, r.Seq); bad != nil {
				err = fmt.Errorf("%w: %w", ErrCorrupt, bad)
			}
		}
		if err != nil {
			return m, place(seq, off, fmt.Errorf("record %d: %w", len(m.Records), err))
		}
		m.Records = append(m.Records, r)
		off += n
	}
	if off != len(b) {
		return m, place(seq, off, fmt.Errorf("%w: %d bytes after the last record", ErrCorrupt, len(b)-off))
	}
	return m, nil
}

// decodeRecord reads the record at the start of b and gives its length in bytes.
func decodeRecord(b []byte) (Record, int, error) {
	if len(b) < recordOverhead {
		return Record{}, 0, fmt.Errorf("%w: %d bytes are too few for it", ErrCorrupt, len(b))
	}
	dataLen, spaceLen := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint16(b[4:]))
	size := uint64(recordOverhead) + spaceLen + dataLen
	if size > uint64(len(b)) {
		return Record{}, 0, fmt.Errorf("%w: it claims %d bytes of %d", ErrCorrupt, size, len(b))
	}
	if !checkCRC(b[:size]) {
		return Record{}, 0, fmt.Errorf("%w: its checksum does not match", ErrCorrupt)
	}
	spaceEnd := recordHeaderSize + spaceLen
	r := Record{
		Space: string(b[recordHeaderSize:spaceEnd]),
		Seq:   binary.BigEndian.Uint64(b[6:]),
		Data:  b[spaceEnd : spaceEnd+dataLen : spaceEnd+dataLen],
	}
	if err := ValidSpace(r.Space); err != nil {
		return Record{}, 0, fmt.Errorf("%w: %s", ErrCorrupt, err)
	}
	return r, int(size), nil
}

// encodeItem frames the data of an intake item; space and kind are in its subject.
func encodeItem(data []byte) []byte {
	b := make([]byte, 0, itemOverhead+len(data))
	b = append(b, itemMagic...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	b = append(b, data...)
	return appendCRC(b, 0)
}

// decodeItem gives the data of an intake message, a part of b.
func decodeItem(b []byte) ([]byte, error) {
	if err := checkMagic(b, itemMagic); err != nil {
		return nil, err
	}
	if len(b) < itemOverhead {
		return nil, fmt.Errorf("%w: %d bytes are too few for an item", ErrCorrupt, len(b))
	}
	if n := uint64(binary.BigEndian.Uint32(b[magicSize:])); n != uint64(len(b)-itemOverhead) {
		return nil, fmt.Errorf("%w: the item claims %d bytes of %d", ErrCorrupt, n, len(b)-itemOverhead)
	}
	if !checkCRC(b) {
		return nil, fmt.Errorf("%w: the item's checksum does not match", ErrCorrupt)
	}
	end := len(b) - crcSize
	return b[itemHeaderSize:end:end], nil
}

// checkMagic tells another version (the last byte differs) from bytes that were never ours.
func checkMagic(b []byte, magic string) error {
	if len(b) < magicSize {
		return fmt.Errorf("%w: %d bytes are too few for a message", ErrCorrupt, len(b))
	}
	if string(b[:magicSize]) == magic {
		return nil
	}
	if string(b[:magicSize-1]) == magic[:magicSize-1] {
		return fmt.Errorf("%w: the message has version %q, which this program does not read", ErrUnsupportedFormat, b[magicSize-1])
	}
	return fmt.Errorf("%w: the message begins with %q, not %q", ErrCorrupt, b[:magicSize], magic)
}

// checkCRC says whether the last four bytes of b are the checksum of those before them.
func checkCRC(b []byte) bool {
	end := len(b) - crcSize
	return crc32.Checksum(b[:end], castagnoli) == binary.BigEndian.Uint32(b[end:])
}

// place says where in the log an error is.
func place(seq uint64, offset int, err error) error {
	return fmt.Errorf("message %d, byte %d: %w", seq, offset, err)
}
