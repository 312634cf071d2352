// Package storetest holds what every implementation of store.View must satisfy:
// cases worked out by hand, and random transactions after which an
// implementation must answer every question as store/model does, at any basis,
// past or present, before and after it is opened again (I4, I8).
//
// Chain and Gen make transactions for other tests too.
package storetest
