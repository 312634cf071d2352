"""Adds byte-level BPE to the files of this folder with the reference library (tokenizers 0.23.3).

    python make_bpe.py      # after make.py, whose texts it takes

Two tokenizers of one vocabulary, as RoBERTa (bpe.json) and a GPT-2 without the space in front
(bpe_plain.json) write them. What the library gave is appended to golden.jsonl. No text is of several
spaces alone: the one piece has an empty span then, here after the first space, there after the last.
"""
import ast
import json

import tokenizers
from tokenizers import models, pre_tokenizers, trainers

TREE = ast.parse(open('make.py').read())
TEXTS = next(eval(ast.unparse(n.value)) for n in TREE.body if isinstance(n, ast.Assign) and n.targets[0].id == 'TEXTS')
TEXTS += ["I've we'll they'd it's 'tis don't''s", 'a  b   c    ', ' \n\n x\n y', '12ab34 x7', "x'S 'Re", 'cat  \tmat']


def main():
    t = tokenizers.Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    t.train_from_iterator(TEXTS, trainers.BpeTrainer(
        vocab_size=480, special_tokens=['<s>', '<pad>', '</s>', '<unk>'], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    base = json.loads(t.to_str())
    base['model']['vocab'] = dict(sorted(base['model']['vocab'].items(), key=lambda kv: kv[1]))
    base['post_processor'] = {'type': 'RobertaProcessing', 'sep': ['</s>', 2], 'cls': ['<s>', 0], 'trim_offsets': True, 'add_prefix_space': True}
    plain = json.loads(json.dumps(base))
    plain['model']['merges'] = [' '.join(m) for m in plain['model']['merges']]
    plain['pre_tokenizer']['add_prefix_space'] = False
    plain['post_processor'].update(trim_offsets=False, add_prefix_space=False)
    with open('golden.jsonl') as f:
        lines = [x for x in map(json.loads, f) if not x['file'].startswith('bpe')]
    for name, d in [('bpe', base), ('bpe_plain', plain)]:
        with open(name + '.json', 'w') as f:
            json.dump(d, f, ensure_ascii=False, indent=None, separators=(',', ':'))
            f.write('\n')
        t = tokenizers.Tokenizer.from_str(json.dumps(d))
        for s in TEXTS:
            if '<s>' in s:  # the one thing that is otherwise here on purpose
                continue
            e = t.encode(s)
            spans = [[0, 0] if q is None else [len(s[:i].encode()), len(s[:j].encode())] for (i, j), q in zip(e.offsets, e.sequence_ids)]
            lines.append({'file': name + '.json', 'texts': [s], 'ids': e.ids, 'types': e.type_ids, 'spans': spans})
    with open('golden.jsonl', 'w') as f:
        for x in lines:
            f.write(json.dumps(x, ensure_ascii=False, separators=(',', ':')) + '\n')


main()
