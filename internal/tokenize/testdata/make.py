"""Makes the files of this folder with the reference libraries (tokenizers 0.23.3, sentencepiece 0.2.3).

    python make.py

Every text is our own. The vocabularies are trained on them and mean nothing. What the libraries gave
is in golden.jsonl: one object a line with the file, the texts a and b, ids, type ids, spans (bytes of
the text that the token is of) and, where the text was cut, the limit and the strategy.
"""
import json
import os
import tempfile

import sentencepiece
import tokenizers
from tokenizers import models, normalizers, pre_tokenizers, trainers

TEXTS = [
    '', ' ', '\t\n', 'a', 'The cat sat on the mat.', '  two  spaces   here  ', 'Don\'t stop; "never" (ever)!',
    'Café crème brûlée, naïve façade', 'cafe\u0301 cre\u0300me', 'ÅNGSTRÖM İstanbul ẞ', 'ΑΒΓ Σίσυφος ς',
    'Привет, мир! Ёлка й', '北京大学的学生', '我在2023年5月8日搬到了上海。', '東京タワーがとても高い', 'ｶﾀｶﾅ ﾊﾟﾋﾟ か\u3099',
    '한국어 문장입니다', '\u1112\u1161\u11ab', 'ﬁne ½ ① ㍿ ﷺ ™', 'Ｆｕｌｌ　ｗｉｄｔｈ', '👩\u200d👧 🙂🇫🇷 ok',
    'a\u200bb\u00adc\u00a0d\u3000e', 'line\r\nbreak\rand\ttab', 'x\x00y', '▁already ▁▁marked', 'ends with space ',
    '[CLS] is text, [SEP] too', 'write </s> and <s> as words', 'unknownwordthatislong', 'z' * 120, '\U0002b820\U0002b920 豈 \U0002f800',
    'นี้คือ ภาษาไทย', 'क्षत्रिय नमस्ते', 'שָׁלוֹם', 'قَالَ', 'e\u0323\u0302 s\u0323\u0307 \u1e9b\u0323', 'one-two_three/four@five.com',
    'price: $3.50 (50%) + 1 < 2 | ~^`', 'ǅ ǆ Ǆ', '𝒜𝓑 𐀀', '“quoted” — dash… ′', 'The the THE tHe', 'mat cat sat the on',
    'a b c d e f g h i j k l m n o p', '上海 北京 and the cat', '\u1714 \u08e2 \u1f970', '''``old'' quotes''',
]
PAIRS = [(TEXTS[i], TEXTS[j]) for i, j in [(4, 12), (7, 5), (0, 4), (13, 0), (43, 43), (44, 9), (36, 43), (12, 33)]]
RULES = {'\t': ' ', '\n': ' ', '\r': ' ', '\u00a0': ' ', '\u3000': ' ', 'ﬁ': 'fi', '½': '1⁄2', '①': '1', '㍿': '株式会社',
         'e\u0301': 'é', 'か\u3099': 'が', '\u200b': '', '…': '...', 'ﾊ\uff9f': 'パ', 'ﾊ': 'ハ'}
RULES.update({chr(0xff01 + i): chr(0x21 + i) for i in range(94)})


def charsmap(folder):
    """The compiled form of RULES, and a SentencePiece model that uses it."""
    rules, corpus = os.path.join(folder, 'rules.tsv'), os.path.join(folder, 'corpus.txt')
    with open(rules, 'w') as f:
        for a, b in RULES.items():
            f.write(' '.join('%X' % ord(c) for c in a) + '\t' + ' '.join('%X' % ord(c) for c in b) + '\n')
    with open(corpus, 'w') as f:
        for t in TEXTS:
            f.write(t.replace('\n', ' ').replace('\r', ' ').replace('\x00', '') + '\n')
    sentencepiece.SentencePieceTrainer.train(
        input=corpus, model_prefix=os.path.join(folder, 'm'), vocab_size=600, hard_vocab_limit=False, num_threads=1,
        normalization_rule_tsv=rules, minloglevel=2)
    with open(os.path.join(folder, 'm.model'), 'rb') as f:
        return f.read()


def blob(model):
    """The character map in a SentencePiece model: field 2 of field 3."""
    def fields(data):
        i = 0
        def varint():
            nonlocal i
            n = s = 0
            while True:
                b = data[i]; i += 1
                n |= (b & 127) << s; s += 7
                if b < 128:
                    return n
        while i < len(data):
            tag = varint()
            if tag & 7 == 0:
                yield tag >> 3, varint()
            elif tag & 7 == 2:
                n = varint(); yield tag >> 3, data[i:i + n]; i += n
            else:
                n = 4 if tag & 7 == 5 else 8
                yield tag >> 3, data[i:i + n]; i += n
    spec = [v for f, v in fields(model) if f == 3][0]
    return [v for f, v in fields(spec) if f == 2][0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        model = charsmap(folder)
    with open('tiny.model', 'wb') as f:
        f.write(model)

    word = tokenizers.Tokenizer(models.WordPiece(unk_token='[UNK]'))
    word.normalizer = normalizers.BertNormalizer()
    word.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
    word.train_from_iterator(TEXTS, trainers.WordPieceTrainer(vocab_size=420, special_tokens=special, show_progress=False))
    word = json.loads(word.to_str())
    word['model']['vocab'] = dict(sorted(word['model']['vocab'].items(), key=lambda kv: kv[1]))
    word['post_processor'] = {'type': 'BertProcessing', 'sep': ['[SEP]', 3], 'cls': ['[CLS]', 2]}
    word['truncation'] = {'direction': 'Right', 'max_length': 8, 'strategy': 'LongestFirst', 'stride': 0}
    word['padding'] = {'strategy': {'Fixed': 16}, 'direction': 'Right', 'pad_to_multiple_of': None, 'pad_id': 0, 'pad_type_id': 0, 'pad_token': '[PAD]'}

    uni = tokenizers.Tokenizer(models.Unigram())
    uni.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ['<s>', '<pad>', '</s>', '<unk>']
    uni.train_from_iterator(TEXTS, trainers.UnigramTrainer(vocab_size=420, special_tokens=special, unk_token='<unk>', show_progress=False))
    import base64
    uni = json.loads(uni.to_str())
    uni['model']['vocab'] = [[p, round(s, 4)] for p, s in uni['model']['vocab']]
    precompiled = {'type': 'Precompiled', 'precompiled_charsmap': base64.b64encode(blob(model)).decode()}
    uni['normalizer'] = {'type': 'Sequence', 'normalizers': [precompiled, {'type': 'Replace', 'pattern': {'Regex': ' {2,}'}, 'content': ' '}]}
    at = lambda i, t: {'SpecialToken': {'id': i, 'type_id': t}}
    a, b = {'Sequence': {'id': 'A', 'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 0}}
    tok = lambda s, i: {'id': s, 'ids': [i], 'tokens': [s]}
    uni['post_processor'] = {'type': 'TemplateProcessing', 'single': [at('<s>', 0), a, at('</s>', 0)],
                             'pair': [at('<s>', 0), a, at('</s>', 0), at('</s>', 0), b, at('</s>', 0)],
                             'special_tokens': {'<s>': tok('<s>', 0), '</s>': tok('</s>', 2)}}
    old = json.loads(json.dumps(uni))
    old['normalizer'] = {'type': 'Sequence', 'normalizers': [{'type': 'Nmt'}, {'type': 'NFKC'}, {'type': 'Lowercase'}]}
    old['pre_tokenizer'] = {'type': 'Sequence', 'pretokenizers': [
        {'type': 'WhitespaceSplit'}, {'type': 'Metaspace', 'replacement': '▁', 'add_prefix_space': True}]}
    old['post_processor'] = {'type': 'RobertaProcessing', 'sep': ['</s>', 2], 'cls': ['<s>', 0], 'trim_offsets': True, 'add_prefix_space': True}
    size = len(old['model']['vocab'])
    more = lambda i, c, **kw: dict({'id': i, 'content': c, 'single_word': False, 'lstrip': False, 'rstrip': False, 'normalized': False, 'special': False}, **kw)
    old['added_tokens'] += [more(size, '上海'), more(size + 1, 'tHe', single_word=True, lstrip=True), more(size + 2, 'café', normalized=True, rstrip=True)]

    lines = []
    t = tokenizers.Tokenizer.from_str(json.dumps(old))
    for x in old['added_tokens']:  # the library gives ids of its own, in order
        x['id'] = t.token_to_id(x['content'])
    for name, d in [('wordpiece', word), ('unigram', uni), ('unigram_old', old)]:
        with open(name + '.json', 'w') as f:
            json.dump(d, f, ensure_ascii=False, indent=None, separators=(',', ':'))
            f.write('\n')
        t = tokenizers.Tokenizer.from_str(json.dumps(d))
        t.no_padding(); t.no_truncation()

        def spans(e, texts):
            out = []
            for (i, j), s in zip(e.offsets, e.sequence_ids):
                out.append([0, 0] if s is None else [len(texts[s][:i].encode()), len(texts[s][:j].encode())])
            return out

        def line(e, texts, **kw):
            lines.append(dict({'file': name + '.json', 'texts': texts, 'ids': e.ids, 'types': e.type_ids, 'spans': spans(e, texts)}, **kw))
        secret = [x['content'] for x in d['added_tokens'] if x['special']]
        for s in TEXTS:
            if not any(x in s for x in secret):  # the one thing that is otherwise here on purpose
                line(t.encode(s), [s])
        for a_, b_ in PAIRS:
            line(t.encode(a_, b_), [a_, b_])
            for strategy in ['longest_first', 'only_first', 'only_second']:
                for limit in [4, 9, 12]:
                    t.enable_truncation(limit, strategy=strategy)
                    try:
                        line(t.encode(a_, b_), [a_, b_], max=limit, truncate=strategy)
                    except Exception:
                        pass
                    t.no_truncation()
    sp = sentencepiece.SentencePieceProcessor(model_proto=model)
    for s in TEXTS:
        lines.append({'file': 'tiny.model', 'texts': [s], 'ids': sp.encode(s)})
    with open('golden.jsonl', 'w') as f:
        for x in lines:
            f.write(json.dumps(x, ensure_ascii=False, separators=(',', ':')) + '\n')


main()
