// Package analyze turns text into the terms that are indexed and searched for,
// and names into the keys by which entities are found.
//
// Both are part of what an answer rests on: a posting written under one
// analysis cannot be found under another. So the analysis carries a Version,
// the same text gives the same terms on every machine and in every process,
// and nothing here can be tuned from outside.
//
// Terms are made as follows.
//
//   - Text is cut into words at the boundaries of Unicode Standard Annex 29.
//     Words are cut again at underscores, colons and full stops between
//     letters (report_final.pdf gives three terms), but initials are joined
//     (U.S.A. gives usa). Numbers keep their decimal point and lose their
//     thousands separators.
//   - Words are normalised to NFKC and case-folded. An English possessive or
//     clitic is dropped (Anna's, Anna’s, we'll give anna and we); other
//     apostrophes are removed (don't gives dont). Accents on Latin letters
//     are removed (café gives cafe).
//   - Words wholly in Latin letters are reduced to their English Snowball stem.
//   - Scripts written without spaces between words (Chinese, Japanese, also
//     Korean, Thai, Lao, Khmer, Burmese) give every overlapping pair of
//     characters within an unbroken run, and a run of one character gives that
//     character.
//   - No stop words are removed; Stop says which terms a query may leave out.
//   - A term has at most MaxTermBytes bytes; longer ones are cut at a
//     character. Punctuation, emoji and bytes that are not UTF-8 give none.
package analyze
