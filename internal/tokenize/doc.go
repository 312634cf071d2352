// Package tokenize cuts text into the pieces that language models are fed: WordPiece as BERT and
// its kin use it, Unigram as XLM-R and T5 do, byte-level BPE as RoBERTa does.
//
// A WordPiece or a Unigram can be made from a vocabulary alone. A Tokenizer is read from a
// model's tokenizer.json or spiece.model and does all that these ask for: normalising, cutting into
// words, cutting into pieces, special tokens, pairs. Its ids are those of the reference
// implementation (the Rust library that the files were made for), also where that one is odd:
// it knows the character classes of Unicode 8, a pre-composed cluster is replaced by the first
// match of a prefix of it, one block of rare Chinese characters is mistaken.
//
// Four things are otherwise, on purpose.
//
//   - A special token that stands in a text is text. The reference turns a written "</s>" into the
//     token itself, with which a user could end a sentence, or hide what follows; here it is cut
//     into pieces like anything else, and no text gives the id of a special token.
//   - Padding and truncation that a file asks for are not applied. Who wants truncation says so
//     in Options.
//   - Text that is not UTF-8 is taken, each wrong byte as U+FFFD.
//   - Where the reference loses count of the original (a text that begins with a character that is
//     dropped), the offsets here are right.
//
// What a file asks for and this package lacks is an error that names it, never left out in silence.
//
// Everything here is pure: the same file and the same text give the same ids on any machine. What is
// returned belongs to the caller.
package tokenize
