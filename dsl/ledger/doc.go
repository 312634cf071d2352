// Package ledger is the log of asof: an append-only, partitioned log of transactions on NATS JetStream, embedded in the
// process or external, and the same in memory for tests. It stores opaque bytes; what they mean is package dsl's affair.
// FORMAT.md beside this file gives the bytes, the streams and the subjects.
//
// # What it promises
//
//	L1  An append that returned without error is in the log and stays there: over a kill, a restart, a full disk.
//	L2  A message is stored whole or not at all. Its records are one partition's, or, in an embedded log, of any partitions.
//	L3  Of several appends with the same expectation for a partition, or for the log, at most one is stored.
//	L4  Sequences are dense from 1. Readers get every message once, in order, or an error that says where it ends.
//	L5  Readers never get bytes other than those that were appended.
//	L6  What cannot be read is never cut off or passed over in silence: ErrCorrupt or ErrGap, with the place.
//
// # Committing
//
// A partition has one owner at a time, who knows its last sequence (Last) and names it in each append. The broker compares it
// with the subject's last sequence and stores or refuses: a second owner is harmless.
//
// An embedded log has one process that appends, since the folder is locked: it owns all partitions. So there (Groups) a message
// may hold records of several partitions, which are then committed by one sync, all or none. Such a message names the
// log's last sequence. It counts as the last message of every partition, so that whoever holds an older expectation for any of them is
// refused. Appends to an embedded log take turns, are held against what this process knows of the log's end, and have the broker compare
// the whole log's last sequence besides, which costs it no look-up.
// An external broker gets none, but serves those that an embedded one stored: owners of single partitions go on behind them.
//
// No message id is sent, so the broker's
// duplicate window plays no part; the message itself names its predecessor too, which is how readers find a hole.
//
// An append has four ends. Stored: a sequence. ErrConflict: refused, read the partition's tail. ErrUnavailable, ErrInvalid,
// ErrTooLarge: nothing was stored. ErrUnknownOutcome: the answer was lost; the message may be there, may still arrive, or may be
// lost. Then the same append may be tried again at once: if the first one got or gets there, one of the two is refused with
// ErrConflict, and the owner finds its own records at the partition's end. A caller whose context ends while it waits gets
// ErrUnknownOutcome too.
//
// # Assumptions about the disk
//
//   - fsync means it. The broker syncs the block file after each message (SyncAlways), before it answers.
//   - Syncing a file does not make its directory entry durable everywhere. The broker does not sync the folder when it begins
//     a new block of 8 MiB; Append does, before it acknowledges the first message of a block, and Open does after it made the streams.
//   - A write that was not synced may be there in whole, in part or not at all after a power cut. After a kill of the process alone
//     it is there in whole or in part, and what is there in whole stays, though it was not acknowledged.
//   - Bytes once synced may still change or vanish; that is found when they are read (below), not before.
//
// # Assumptions about the broker
//
// nats-server 2.15, embedded, with one copy of the log. It keeps per record a 64-bit hash, and an index of the blocks, which it writes
// when it is stopped and now and then. It was seen, and read, to do the following, and each is met here:
//
//   - When its index is older than the blocks, it reads all blocks and cuts each off, on disk, at the first record that it cannot
//     read, whole records behind it included. It does the same to any block that it loads later. So before it is started the last
//     block is checked here, and all of them unless it was stopped in order (the file CLEAN says so); the others are checked before
//     the first read that needs them. Damage is reported with file and byte, and the file is left as it is. Checking costs
//     about 1 ms per MiB. Not met: what an append or Last makes the broker load from an old block that is damaged and that nobody has read since
//     Open; the records behind the damage in that block are then cut off, and reading says ErrGap.
//   - It passes over messages that it cannot find. Reads here count: a missing one is ErrGap.
//   - It reads again, at its start, all messages younger than its duplicate window, two minutes unless told otherwise. 100 ms here.
//   - After a write that failed it stores nothing more and does not answer those who ask. That is noticed here (by its log, it says it
//     nowhere else): the waiting append ends with ErrUnknownOutcome, later ones with ErrUnavailable until the log is opened anew.
//   - It limits a store, unless told otherwise, to three quarters of the disk's free space at its start, which a large log on a nearly full
//     disk already exceeds. No such limit here.
//
// An external server must run with sync_interval "always" as well; a client cannot see whether it does. In a cluster the log is as durable as
// its replicas. Reads may be answered by a replica that lags; they wait until it has what the leader had when the read began.
// Its operator can lift the protection against deleting; readers then say ErrGap.
//
// # Every crash
//
//   - The process is killed, between or during appends: L1 holds; what was under way is there whole or not at all. The folder's lock
//     dies with the process.
//   - Power is cut while a message is written: a part of a last record is kept aside in the folder torn, with a warning, and
//     the broker cuts it off. A last record that was acknowledged and then damaged looks the same: only who knows the position (the store is
//     ahead of its log) can tell, and must refuse to go on.
//   - Power is cut while a new block begins: its entry was durable before the first acknowledgement.
//   - Power is cut while a log is made: no message was acknowledged; opening it again makes what is missing.
//   - A byte changes, or a stretch vanishes, in the middle: ErrCorrupt, or ErrGap where whole records are gone, with file and byte, at Open
//     or at the read that gets there. A changed index is found by its hash, and all blocks are read instead.
//   - What lies before a damage can be read by Salvage, which needs no broker, also where Open refuses.
//   - A block file is gone: ErrGap. All are gone, the stream's folder too: an empty log; the store is then ahead of it and must say so.
//   - The disk is full: see above. What was acknowledged can be read, then and later.
//   - The broker (external) goes away: appends under way end with ErrUnknownOutcome as soon as the connection is lost, new ones with ErrUnavailable;
//     Follow waits and goes on with the next message.
//
// # Limits
//
// A message has at most 8 MiB less 1 KiB (MaxBatchBytes) and 2^20 records; a space's name 512 bytes; a log 1024 partitions. A read holds two batches of
// 4 MiB, one message more at most, and what the function it calls keeps. One process at a time has an embedded log open.
//
// # Group commit
//
// Several records in one message are one sync. JetStream's own ways do worse (256 records of 1 KiB, 2 cores, ext4 on a virtual disk,
// syncs counted by strace over 100 more rounds):
//
//	                                      syncs   time      records/s
//	one message of 256 records            1.03    1.05 ms   244,000    BenchmarkAppend/batch=256
//	atomic batch of 256 messages          4.04    4.2 ms     61,000    BenchmarkGroup/atomic=256
//	256 messages, published without wait  256     53 ms       4,800    BenchmarkGroup/async=256
//	one message of one record             1.00    0.34 ms     2,900    BenchmarkAppend/one
//	one bare publish of the same size     1.00    0.27 ms     3,700    BenchmarkBarePublish
//
// So an atomic batch does save syncs (it stages its messages in a store of its own and syncs the stream once), and publishing without waiting saves
// none. Packing saves more, and a crash cannot leave a half of it: that is what messages of several partitions are for. The commands:
//
//	go test ./dsl/ledger -run xxx -bench 'Append|Group|Bare'
//	strace -f -c -e trace=fsync,fdatasync go test ./dsl/ledger -run xxx -bench 'Append/batch=256$' -benchtime 120x
package ledger
