"""Prints what trec_eval makes of a run, as JSON: {qid: {measure: value}}."""

import json
import sys

import pytrec_eval


def read(path, columns, docid, value, number):
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            fields = line.split()
            assert len(fields) == columns, line
            table.setdefault(fields[0], {})[fields[docid]] = number(fields[value])
    return table


folder = sys.argv[1]
run = read(folder + "/run.trec", 6, 2, 4, float)
qrels = read(folder + "/qrels.trec", 4, 2, 3, int)
cuts = "1,3,5,10,16,20,50"
measures = {f"{m}.{cuts}" for m in ("recall", "success", "ndcg_cut")} | {"recip_rank"}
json.dump(pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run), sys.stdout)
