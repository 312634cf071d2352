#!/usr/bin/env python3
"""Write given.txt: given names of one gender, from lists whose licences allow it.

    given.py > given.txt

Needs the PyPI packages names 0.3.0 (first names of the US Census of 1990, public domain) and faker 40.63 (MIT).
A name counts as one gender's when the other has at most a twentieth of its bearers in the census, and no list of
Faker's has it for the other. Lower case, Latin letters; names of up to twelve letters.
"""
import importlib
import os
import re

import names

LOCALES = "en_US en_GB en_IN en_NZ es_ES es_MX fr_FR de_DE it_IT pt_BR nl_NL sv_SE da_DK no_NO pl_PL tr_TR fi_FI"
CENSUS = {"f": 1500, "m": 1000}
PER_LOCALE = {"en_IN": 400}
PLAIN = re.compile(r"[a-zà-öø-ÿąćęłńśźżğışőű]{2,12}$")


def census(gender):
    path = os.path.join(os.path.dirname(names.__file__), "dist.%s.first" % {"f": "female", "m": "male"}[gender])
    return {w[0].lower(): float(w[1]) for w in (line.split() for line in open(path, encoding="ascii"))}


def faker(gender):
    out = {}
    for loc in LOCALES.split():
        p = importlib.import_module("faker.providers.person." + loc).Provider
        found = getattr(p, "first_names_" + {"f": "female", "m": "male"}[gender], ())
        for n in list(found)[:PER_LOCALE.get(loc, 160)]:
            out[n.lower()] = out.get(n.lower(), 0) + 1
    return out


def main():
    counted, listed = {g: census(g) for g in "fm"}, {g: faker(g) for g in "fm"}
    print("# Given names of one gender, written by given.py.")
    for g, label in (("f", "female"), ("m", "male")):
        o = "m" if g == "f" else "f"
        most = sorted(counted[g], key=lambda n: (-counted[g][n], n))[:CENSUS[g]]
        keep = set()
        for n in set(most) | set(listed[g]):
            here, there = counted[g].get(n, 0), counted[o].get(n, 0)
            if not PLAIN.match(n) or there > here / 20 or n in listed[o] and here < 20 * there + 0.01:
                continue
            keep.add(n)
        print(label + ": " + " ".join(sorted(keep)))


if __name__ == "__main__":
    main()
