package store

// SmallTrees makes the state trees of an empty store small, so that a short test
// sees them grow deep.
func (s *Store) SmallTrees() { s.shape = treeShape{leafMax: 3, leafFill: 2, kidsMax: 4, kidsFill: 3} }

// ForgetTrees drops what the writer has in memory, as a restart does.
func (s *Store) ForgetTrees() { s.forgetWritten() }
