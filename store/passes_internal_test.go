package store

// NetDifferenceIn and NoLongerIn are the reads with at most limit elements a pass.
var (
	NetDifferenceIn = netDifference
	NoLongerIn      = noLonger
)
