package store

// NetDifferenceIn is NetDifference with at most limit keys a pass.
var NetDifferenceIn = netDifference
