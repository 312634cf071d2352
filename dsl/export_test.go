package dsl

// The general coders, which the fast ones are held against, and the fast ones
// without the general ones behind them.
var (
	GeneralCanonical = canonical
	GeneralDecode    = decode
	GeneralDecodeTx  = decodeTx
	Print            = print
)

// ScanTx and ScanTurn tell whether the fast decoder takes a text by itself.
func ScanTx(b []byte) (*Tx, bool) {
	var x txText
	ok := scanTx(b, &x)
	return &x.tx, ok
}

func ScanTurn(b []byte) (*Turn, bool) {
	var t Turn
	ok := scanTurn(b, &t)
	return &t, ok
}
