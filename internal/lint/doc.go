// Package lint holds the house rules that no compiler and no general linter knows: which floor may
// import which, where the wall clock, randomness and the environment may be asked, which functions
// of package math give other bits on another processor, and how a file looks.
//
// A rule is a function from a tree of files to faults. The package's test runs every rule over the
// repository, and first over small trees that break it, so that a rule that finds nothing is known
// to be able to. Nothing imports the package.
package lint
