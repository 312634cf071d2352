// Package model is the slow, obviously right implementation of store.View.
//
// It keeps the transactions of one space as they came and answers every
// question by folding those up to the basis, from the first one on: no index,
// no row format, nothing shared between two views. What is hard in the store
// (that a view at a position reads nothing later) holds here by construction,
// so the store is right when the two agree. storetest compares them.
//
// # What the operations mean
//
//   - The record interval of a fact version starts at the record time of the
//     transaction that opened it and ends at that of the one that closed it. A
//     version that the same transaction opens and closes has an empty one.
//   - ARCHIVE_EDGE archives the versions of the fact that are open at that point
//     and not archived yet. The successor of an archived version is archived; a
//     version that a later UPSERT_EDGE opens is not.
//   - An evidence link works on the versions of the fact that are open (archived
//     or not) where it stands: it appends the turn to their evidence unless it is
//     there, and folds its confidence into theirs, each time. With retract it
//     takes the turn out of the evidence, however it came in, and sets the
//     confidence to its own, if that is not 0. A successor has what its RETRO_CORRECT carries, nothing else.
//   - An alias, mention or event link is open from the operation that makes it to
//     the one that retracts it. Making an open link, or retracting one that is
//     not open, changes nothing.
//   - A turn that replaces another stands in its place, or in that of the turn
//     that stands there; one that names no turn of the space replaces none.
//   - UPSERT_EVENT closes the open version of the event and opens the next.
//   - An event version is visible from the latest of: its own record start, the
//     record time at which each included fact was first opened, the record time of
//     each evidence turn, and the visibility of every earlier version of the event
//     that is visible in the view (I9). While a fact or turn that it names is not
//     recorded, it is not visible.
//   - A drop leaves nothing but its own position and the settings in force; ids
//     and names may come again after it.
//   - A change is shown as the view at its own position shows it. It is an ending
//     when value, relation and start of validity stay and the end moves earlier,
//     whatever becomes of confidence and evidence.
package model
