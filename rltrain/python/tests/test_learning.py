"""Names in slots, forms of thoughts, and culprits: the parts of learning that need no tensors."""

import json
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from tests.support import binary

from planproof import Client, groups
from planproof.errors import PlanproofError
from planproof.schema import Item
from planproof.reftrain import best, credit, culprits, data, imitate, naming, pairs, presets, report, reward, showing, tokens, traces, transfer_tasks
from tests.test_reftrain import row

PROMPT = "objects: red blue gold\ninit: (clear gold) (handempty) (on gold red) (ontable blue)\ngoal: (on blue red)\nplan:\n"
LONG = ("<think>\nstate: (clear a) (on a b)\ntodo: (on b a)\nstep: (take a)\nneeds: (clear a)\nforbidden: (drop a)\n"
        "state: (clear b) (holding a)\ntodo: (on b a)\nstep: (put a)\nneeds: (holding a)\nstate: (clear a) (clear b)\ndone\n</think>\n"
        "<plan>\n(take a)\n(put a)\n</plan>")
#: The slots of the tasks' first showing, and two tasks with these objects.
SLOTTED = naming.Naming({"a": "o1", "b": "o2", "c": "o3"})
TASKS = [data.Row("1", "", "", "", "", "", "objects: c a b\ninit: (clear a) (clear c) (on a b) (on c a) (top)\nnever: (take a)\ngoal: (on b a)\nplan:\n",
                  answer=LONG),
         data.Row("2", "", "", "", "", "", "objects: b c\ninit: (on c b)\ngoal: (clear b) (on b c)\nplan:\n", answer="<plan>\n(take c)\n(put b)\n</plan>")]


class Slots(unittest.TestCase):
    def test_there_and_back(self):
        name = naming.naming(PROMPT, 6, "x")
        shown = name.to(PROMPT)
        self.assertFalse({"red", "blue", "gold"} & set(shown.replace(")", " ").split()))
        self.assertEqual(len(set(name.names.values())), 6)
        answer = "<plan>\n(stack blue red)\n</plan>"
        self.assertEqual(name.back(name.to(answer)), answer)

    def test_a_slot_of_no_object(self):
        """An answer may name one. It is no object of the task, and none of the next showing's."""
        prompt = PROMPT.replace("red", "o6")  # an object that is called as a slot
        for seed in range(20):
            name = naming.naming(prompt, 6, f"x{seed}")
            spare = sorted(set(naming.slots(6)) - {name.names[o] for o in naming.objects(prompt)})
            told = name.back(f"(stack {spare[0]} {spare[1]}) (stack {name.names['o6']} {spare[2]})")
            self.assertFalse({"blue", "gold"} & set(told.replace(")", " ").split()))
            self.assertEqual(told.count("o6"), 1)
            again = naming.naming(prompt, 6, f"y{seed}").to(told).replace("(", "").replace(")", "").split()
            self.assertEqual(len({again[1], again[2], again[4], again[5]}), 4)

    def test_answers_in_tokens(self):
        """A sampled answer that tokens cannot tell makes no pair."""
        tokenizer = tokens.Tokenizer.build([SLOTTED.to(x) for r in TASKS for x in (r.prompt, r.answer)], slots=3, whole=True)
        told = [groups.Sampled("2", text, False, False) for text in ("<plan>\n(take c)\n(put b)\n</plan>", "(take c b b)", "<plan>\n(take c\nb </plan>")]
        self.assertEqual(pairs.in_tokens(tokenizer, TASKS, told), told[:1])

    def test_names_say_nothing(self):
        """What the model sees is the same whatever the objects are called."""
        first = naming.Naming({"red": "o1", "blue": "o2", "gold": "o3"})
        renamed = PROMPT.replace("red", "zzz").replace("gold", "aaa").replace("init: (clear aaa) (handempty) (on aaa zzz) (ontable blue)",
                                                                         "init: (ontable blue) (on aaa zzz) (handempty) (clear aaa)")
        second = naming.Naming({"zzz": "o1", "blue": "o2", "aaa": "o3"})
        self.assertEqual(first.to(PROMPT), second.to(renamed))

    def test_slots_are_drawn_anew(self):
        drawn = {tuple(naming.naming(PROMPT, 6, str(i)).names.values()) for i in range(50)}
        self.assertGreater(len(drawn), 20)
        self.assertEqual(naming.naming(PROMPT, 6, "1"), naming.naming(PROMPT, 6, "1"))
        self.assertEqual(naming.naming(PROMPT, 0, "1").to(PROMPT), PROMPT)

    def test_objects_and_faults(self):
        self.assertEqual(naming.objects("objects: t0 t1 - truck p - package\n"), ["t0", "t1", "p"])
        for prompt, count, told in ((PROMPT, 2, "3 objects, but the model has 2 slots"), ("As initial conditions", 6, "compact")):
            with self.assertRaisesRegex(naming.NoSlots, told):
                naming.naming(prompt, count, "x")

    def test_a_predicate_may_have_an_object_s_name(self):
        name = naming.Naming({"on": "o1", "a": "o2"})
        self.assertEqual(name.to("(on on a)"), "(on o1 o2)")

    def test_lines_of_tokens(self):
        for form in ("atoms", "words"):
            texts = ["<plan>\n(take a)\n(put a)\n</plan>", "<think>\nstep: (take a)\nstate: (clear a) (on a b)\ndone\n</think>\n<plan>\n(take a)\n(put a)\n</plan>"]
            tokenizer = tokens.Tokenizer(tokens.Tokenizer.build(texts).vocabulary, form)
            for text in texts:
                ids = tokenizer.answer(text)
                lines = tokenizer.lines(ids)
                for number in range(1, text.count("\n") + 2):
                    part = [i for i, line in zip(ids, lines) if line == number]
                    head = text.split("\n")[number - 1].split(" ")[0]
                    self.assertEqual(tokenizer.vocabulary[part[0]].rstrip(")"), head.rstrip(")"), (form, number))


class WholeAtoms(unittest.TestCase):
    """An atom as one token."""

    TEXTS = ["objects: o1 o2 o3\ninit: (clear o1) (on o1 o2) (handempty)\ngoal: (on o2 o1)\nplan:\n", "<plan>\n(take o1)\n(put o1 o3)\n</plan>",
             "<think>\nstep: (take o1)\nstate: (clear o2) (on o1 o2)\ndone\n</think>\n<plan>\n(take o1)\n</plan>"]

    def test_there_and_back(self):
        tokenizer = tokens.Tokenizer.build(self.TEXTS, slots=4, whole=True)
        plain = tokens.Tokenizer.build(self.TEXTS, slots=4)
        for text in self.TEXTS:
            ids = tokenizer.answer(text)
            self.assertEqual(tokenizer.decode(ids), text)
            self.assertLess(len(ids), len(plain.answer(text)))
            lines = tokenizer.lines(ids)
            for number in range(1, text.rstrip().count("\n") + 2):
                part = [i for i, line in zip(ids, lines) if line == number]
                self.assertEqual(tokenizer.vocabulary[part[0]].split(" ")[0], text.split("\n")[number - 1].split(" ")[0].rstrip(")"), number)
        self.assertEqual(tokens.Tokenizer(**tokenizer.state()).encode(self.TEXTS[0]), tokenizer.encode(self.TEXTS[0]))

    def test_every_slot_in_every_place(self):
        tokenizer = tokens.Tokenizer.build(self.TEXTS, slots=4, whole=True)
        found = [word for word in tokenizer.vocabulary if word.startswith("(put ")]
        self.assertEqual((len(found), len([w for w in tokenizer.vocabulary if w.startswith("(take")])), (12, 4))
        self.assertEqual(tokenizer.decode(tokenizer.encode("(put o4 o2)\n(take o3)")), "(put o4 o2)\n(take o3)")
        alike = dict(zip(tokenizer.vocabulary, tokenizer.parts()))
        self.assertEqual(set(alike["(put o1 o3"]) & set(alike["(put o3 o1"]), {"(put"})  # places are told apart
        self.assertEqual(set(alike["(put o1 o3"]) & set(alike["(take o1"]), {"o1 1"})

    def test_shown_by_a_table(self):
        """Exchanging numbers gives what reading the text in other slots gives."""
        plain = tokens.Tokenizer.build([text for task in TASKS for text in (SLOTTED.to(task.prompt), SLOTTED.to(task.answer))], slots=4)
        whole = tokens.Tokenizer.build([text for task in TASKS for text in (SLOTTED.to(task.prompt), SLOTTED.to(task.answer))], slots=4, whole=True)
        for tokenizer in (plain, whole):
            shown = showing.Showing(tokenizer)
            for i in range(40):
                for task in TASKS:
                    name = naming.naming(task.prompt, 4, str(i))
                    prompt, answer = shown.tokens(task, name)
                    self.assertEqual(prompt, tokenizer.prompt(name.to(task.prompt)))
                    self.assertEqual(answer, tokenizer.answer(name.to(task.answer)))

    def test_ids_are_of_one_file(self):
        """Training takes several files, and tasks of different ones may have one id."""
        tokenizer = tokens.Tokenizer.build([SLOTTED.to(x) for task in TASKS for x in (task.prompt, task.answer)], slots=3, whole=True)
        shown = showing.Showing(tokenizer)
        for task in (replace(task, id="1", best=(("(take c)",), ("(put b)",))) for task in TASKS[1:] + TASKS[:1]):
            name = naming.naming(task.prompt, 3, "x")
            self.assertEqual(shown.tokens(task, name)[0], tokenizer.prompt(name.to(task.prompt)))
        other = replace(TASKS[1], prompt=TASKS[1].prompt.replace("(on b c)", "(on c b)"), best=(("(take c)", "(take b)", "(go c)"), ("(put b)",)))
        one = replace(TASKS[1], best=(("(take c)",), ("(put b)",)))
        for task, first in ((one, ["(take c)"]), (other, ["(take b)", "(take c)"])):  # no token tells (go c)
            name = naming.naming(task.prompt, 3, "x")
            told = [[name.back(tokenizer.decode([n])) for n in numbers] for numbers in shown.sets(task, name)]
            self.assertEqual([sorted(steps) for steps in told if steps[0].startswith("(")], [first, ["(put b)"]])

    def test_faults(self):
        tokenizer = tokens.Tokenizer.build(self.TEXTS, slots=4, whole=True)
        for text, told in (("(put o1 red)", "1:9: error.unknown_token.: 'red'"), ("a\n(put o1 o1)", "'a'"), ("(put o1 o1)", "'\\(put o1 o1\\)'"),
                           ("(put (take o1))", "nested_text")):
            with self.assertRaisesRegex(tokens.UnknownToken, told):
                tokenizer.encode(text, "row 1")
        for texts, slots, told in ((self.TEXTS, 0, "need slots"), (["(not (on o1 o2))"], 2, "flat atoms"), (["(p o1 o2 o3 o4)"], 40, "more than")):
            with self.assertRaisesRegex(tokens.UnknownToken, told):
                tokens.Tokenizer.build(texts, slots=slots, whole=True)


class Thoughts(unittest.TestCase):
    def test_forms(self):
        plan = "<plan>\n(take a)\n(put a)\n</plan>"
        self.assertEqual(traces.shorten(LONG, "none"), plan)
        self.assertEqual(traces.shorten(LONG, "long"), LONG)
        self.assertEqual(traces.shorten(LONG, "steps"), "<think>\nstep: (take a)\nforbidden: (drop a)\nstep: (put a)\ndone\n</think>\n" + plan)
        self.assertEqual(traces.shorten(LONG, "states"), "<think>\nstep: (take a)\nforbidden: (drop a)\nstate: (clear b) (holding a)\n"
                         "step: (put a)\nstate: (clear a) (clear b)\ndone\n</think>\n" + plan)
        self.assertEqual(traces.shorten(LONG, "goals"), "<think>\ntodo: (on b a)\nstep: (take a)\nforbidden: (drop a)\nstate: (clear b) (holding a)\n"
                         "todo: (on b a)\nstep: (put a)\nstate: (clear a) (clear b)\ndone\n</think>\n" + plan)
        self.assertEqual(traces.shorten(LONG, "changes"), "<think>\nstep: (take a)\nforbidden: (drop a)\nadd: (clear b) (holding a)\n"
                         "del: (clear a) (on a b)\nstep: (put a)\nadd: (clear a)\ndel: (holding a)\ndone\n</think>\n" + plan)

    def test_beside_rows(self):
        folder = Path(tempfile.mkdtemp())
        (folder / "trl-sft").mkdir()
        path = folder / "train.jsonl"
        path.write_text(json.dumps(row(0)) + "\n")
        rows = data.read(path)
        self.assertEqual(traces.with_thoughts(rows, path, "none"), rows)
        for line, told in (('{"id": "r0", "completion": "x"}', "no thoughts: export with"), ('{"id": "r1", "completion": ' + json.dumps(LONG) + "}", "no thoughts about r0"),
                           ("{", "error\\[json\\]")):
            (folder / "trl-sft" / "train.jsonl").write_text(line + "\n")
            with self.assertRaisesRegex(data.DataError, told):
                traces.with_thoughts(rows, path, "states")
        (folder / "trl-sft" / "train.jsonl").write_text(json.dumps({"id": "r0", "completion": LONG}) + "\n")
        self.assertEqual(traces.with_thoughts(rows, path, "none")[0].answer, rows[0].answer)
        self.assertIn("state: (clear b)", traces.with_thoughts(rows, path, "states")[0].answer)


class Batches(unittest.TestCase):
    def test_by_length(self):
        rows = list(range(100))
        plain, dealt = data.Batches(rows, 5, 1), data.Batches(rows, 5, 1, length=lambda r: r)
        for start in (0, 8, 16):
            steps = range(start, start + 8)
            self.assertEqual(sorted(r for s in steps for r in plain.at(s)), sorted(r for s in steps for r in dealt.at(s)))
            self.assertLess(max(max(b) - min(b) for b in map(dealt.at, steps)), 60)
        self.assertEqual(dealt.at(3), data.Batches(rows, 5, 1, length=lambda r: r).at(3))


class Culprits(unittest.TestCase):
    """Against the real oracle: a walk a-b-c in which (go a c) is forbidden."""

    def found(self, plan, ended=True):
        folder = tempfile.mkdtemp()
        path = Path(folder) / "rows.jsonl"
        path.write_text(json.dumps(row(0)) + "\n")
        text = "<plan>\n" + "".join(step + "\n" for step in plan) + "</plan>" * ended
        with Client(binary=binary()) as client:
            got = culprits.gather(client, data.read(path), [text], [ended])[0]
        return got, culprits.culprit(got, text)

    def test_kinds(self):
        got, none = self.found(["(go a b)", "(go b c)"])
        self.assertEqual((got.verdict, got.changes, got.lines, none), ("valid", (1, 1), (2, 3), None))
        for plan, changes, want in (
            (["(go a b)", "(go b a)", "(go a b)", "(go b c)"], (1, -1, 1, 1), culprits.Culprit(2, "(go b a)", "detour")),
            (["(go a b)", "(go b a)"], (1, -1), culprits.Culprit(2, "(go b a)", "away from the goal")),
            (["(go a c)"], (), culprits.Culprit(1, "(go a c)", "forbidden step")),
            (["(go a b)", "(go a b)"], (1,), culprits.Culprit(2, "(go a b)", "at does not hold")),
            (["(go a b)", "(go b d)"], (1,), culprits.Culprit(2, "(go b d)", "no such step (unknown_symbol)")),
            (["(go a b)"], (1,), culprits.Culprit(2, "", "stops before the goal")),
        ):
            with self.subTest(plan):
                got, fault = self.found(plan)
                self.assertEqual((got.changes, fault), (changes, want))
        self.assertEqual(self.found(["(go a b)"], ended=False)[1].kind, "cut off by the bound on tokens")

    def test_table(self):
        faults = [culprits.Culprit(2, "(go a b)", "detour"), None, culprits.Culprit(4, "(go b c)", "detour"), culprits.Culprit(0, "", "no plan")]
        self.assertEqual(culprits.table(faults), [
            {"kind": "detour", "action": "go", "answers": 2, "step": 3.0}, {"kind": "no plan", "action": "", "answers": 1, "step": 0.0}])


class Credit(unittest.TestCase):
    GOOD = culprits.Evidence("valid", (1, 1), (2, 3), False, "")

    def test_lines(self):
        text = "<plan>\n(go a b)\n(go b c)\n</plan>"
        self.assertEqual(credit.line_credits(self.GOOD, text), {2: 1.0, 3: 1.0, 0: 1.0})
        failed = culprits.Evidence("precondition", (1,), (2,), True, "")
        self.assertEqual(credit.line_credits(failed, text), {2: 1.0, 3: -1.0})
        self.assertEqual(credit.line_credits(culprits.Evidence("precondition", (), (), True, ""), text), {2: -1.0})
        self.assertEqual(credit.line_credits(culprits.Evidence("goal", (1, -1), (2, 3), False, ""), text), {2: 1.0, 3: -1.0, 0: -1.0})
        self.assertEqual(credit.line_credits(culprits.Evidence("no_plan", (), (), False, ""), "hm"), {})

    def test_thoughts_share_it_while_they_are_the_plan(self):
        plan = "<plan>\n(go a b)\n(go b c)\n</plan>"
        found = culprits.Evidence("goal", (1, -1), (6, 7), False, "")
        self.assertEqual(credit.line_credits(found, "<think>\nstep: (go a b)\nstep: (go b c)\n</think>\n" + plan), {2: 1, 3: -1, 6: 1, 7: -1, 0: -1})
        self.assertEqual(credit.line_credits(found, "<think>\nstep: (go a b)\nstep: (go b a)\n</think>\n" + plan), {2: 1, 6: 1, 7: -1, 0: -1})

    def test_advantages(self):
        got = credit.advantages([{2: 1.0, 0: 1.0}, {2: 1.0, 3: -1.0}])
        self.assertAlmostEqual(sum(v for lines in got for v in lines.values()), 0)
        self.assertAlmostEqual(sum(v * v for lines in got for v in lines.values()) / 4, 1)
        self.assertLess(got[1][3], 0)
        self.assertEqual(credit.advantages([{2: 1.0}, {2: 1.0, 0: 1.0}]), [{2: 0.0}, {2: 0.0, 0: 0.0}])
        self.assertEqual(credit.on_tokens([1, 2, 2, 3], {2: 0.5, 0: -2.0}, 2), [0, 0.5, -2.0, -2.0])
        self.assertEqual(credit.on_tokens([1, 2], {2: 0.5, 0: -2.0}, None), [0, 0.5])

    def test_to_stop_is_the_end_s(self):
        """In every form, the token that is written instead of one more step has the credit of the end, not of the last step."""
        plan = "[PLAN]\n(go a b)\n(go b c)\n[PLAN END]"
        for form, more in (("words", ["(one (in other))"]), ("atoms", []), ("facts", [])):
            text = SLOTTED.to(plan)
            t = tokens.Tokenizer.build([text, *more], slots=3, whole=form == "facts")
            self.assertEqual(t.form, form)
            one, two = t.answer(text), t.answer(text.replace("\n(go o2 o3)", ""))
            parting = next(i for i, (x, y) in enumerate(zip(one, two)) if x != y)  # "(go b c" or to stop
            told = credit.on_tokens(t.lines(two), {2: 1.0, 0: -1.0}, t.after_atoms(two))
            self.assertEqual(set(told[parting:]), {-1.0}, (t.form, told))
            self.assertIn(1.0, told[:parting])


class Imitation(unittest.TestCase):
    def test_corrections(self):
        folder = tempfile.mkdtemp()
        path = Path(folder) / "rows.jsonl"
        path.write_text(json.dumps(row(0)) + "\n")
        rows = data.read(path)
        texts = [imitate.plan_text(plan) for plan in (["(go a b)", "(go b a)"], ["(go a c)"], ["(go a b)", "(go b c)"], ["(go a c)"])]
        with Client(binary=binary()) as client:
            found = culprits.gather(client, rows * 4, texts, [True] * 4)
            shown = imitate.corrections(client, rows, found, texts, 4)
            want = imitate.plan_text(["(go a b)", "(go b c)"], "[PLAN]")
            self.assertEqual(shown, [imitate.Shown(0, want, 3), imitate.Shown(0, want, 2)])  # each prefix once, none of the valid one
            judged = culprits.gather(client, rows * 2, [s.text for s in shown], [True] * 2)
            self.assertEqual([(e.verdict, e.changes) for e in judged], [("valid", (1, 1))] * 2)
            with self.assertRaisesRegex(PlanproofError, "bare plans"):
                imitate.corrections(client, rows, found[:1], ["<think>\n</think>\n" + texts[0]], 1)

    def test_a_corrected_plan_ends_like_gold(self):
        for gold in ("<plan>\n(go a b)\n(go b c)\n</plan>\n", "[PLAN]\n(go a b)\n(go b c)\n[PLAN END]"):
            self.assertEqual(imitate.plan_text(["(go a b)", "(go b c)"], gold), gold)

    def test_own_valid(self):
        """Each once, and of valid ones those that the reward pays: with the reward of "optimal", cheapest plans."""
        spec = presets.PRESETS["learn"]["settings"]["changes"]["reject-optimal"]["reward"]
        domain = "(define (domain d) (:predicates (p) (q)) (:action far :parameters () :effect (p)) (:action on :parameters () :precondition (p) :effect (q)) (:action near :parameters () :effect (q)))"
        task = data.Row("t", "", "", "", domain, "(define (problem p) (:domain d) (:init) (:goal (q)))", "", gold={"steps": 1, "cost": "1", "optimal": True})
        texts = [imitate.plan_text(plan) for plan in (["(near)"], ["(near)"], ["(far)"], ["(far)", "(on)"])]
        with Client(binary=binary()) as client:
            paid = reward.Scorer(None, [task], spec, 10, client).score([task] * 4, texts, [True] * 4)
            valid = reward.Scorer(None, [task], "valid", 10, client).score([task] * 4, texts, [True] * 4)
        self.assertEqual(imitate.own_valid(texts, valid, 2), [imitate.Shown(0, texts[0]), imitate.Shown(1, texts[3])])
        self.assertEqual(imitate.own_valid(texts, paid, 2), [imitate.Shown(0, texts[0])])


class Presets(unittest.TestCase):
    def test_all_can_be_used(self):
        for name, preset in presets.PRESETS.items():
            with self.subTest(name):
                presets.check(preset["settings"])
        self.assertEqual(set(presets.METHODS) - set(report.LABELS), set())

    def test_a_second_domain(self):
        """No set of blocks is left in it."""
        made = presets.PRESETS["learn-second"]["settings"]
        self.assertEqual(set(made["data"]), {"second-{seed}", "names", "larger"})
        self.assertEqual(set(made["sets"]), set(made["about"]))
        self.assertFalse([words for words in made["data"].values() if words[0] != "invented"])


class Transfer(unittest.TestCase):
    DOMAIN = """(define (domain vure) (:types rezi) (:predicates (way ?a ?b - rezi) (at ?a - rezi))
      (:action move :parameters (?x ?y - rezi) :precondition (and (at ?x) (way ?x ?y)) :effect (and (not (at ?x)) (at ?y))))"""
    PROBLEM = "(define (problem p) (:domain vure) (:objects k l m - rezi) (:init (at k) (way k l) (way l m)) (:goal (at m)))"
    PROMPT = "move at:x0 way:x0:x1 -> at:x1 - at:x0\ninit at:k way:k:l way:l:m\ngoal at:m\n"
    ANSWER = "move at:k way:k:l\nmove at:l way:l:m\n"

    def task(self):
        return data.Row("vure-1", "", "", "", self.DOMAIN, self.PROBLEM, "x", gold={"plan": ["(move k l)", "(move l m)"]}, difficulty=2.0)

    def test_rows(self):
        row, = transfer_tasks.rows([self.task()], 3, 2.0)
        self.assertEqual((row.prompt, row.answer, row.base), (self.PROMPT, self.ANSWER, "vure"))
        self.assertEqual(transfer_tasks.rows([self.task()], 2, 2.0), [])  # three objects
        self.assertEqual(transfer_tasks.rows([self.task()], 3, 1.0), [])

    def test_no_name_is_shown(self):
        """Prompt and answer have words of the pools only, other ones each time, and the answer comes back."""
        words, seen = transfer_tasks.vocabulary(3), set()
        for seed in range(20):
            name = naming.naming(self.PROMPT, 3, str(seed))
            shown = words.decode(words.prompt(name.to(self.PROMPT))[1:])
            self.assertNotRegex(shown, r"move|way|at\b|\b[klm]\b")
            seen.add(shown)
            self.assertEqual(name.back(words.decode(words.answer(name.to(self.ANSWER)))), self.ANSWER)
        self.assertGreater(len(seen), 15)

    def test_response(self):
        for text, plan in ((self.ANSWER, "(move k l)\n(move l m)"), ("move at:k way:l:m", "(move at:k way:l:m)"),  # k is not l
                           ("move at:k", "(move at:k)"), ("go at:k", "(go at:k)"), ("", "")):
            with self.subTest(text):
                self.assertEqual(transfer_tasks.response(text, self.PROMPT), f"<plan>\n{plan}\n</plan>")

    def test_judge(self):
        with Client(binary=binary()) as client:
            judge = transfer_tasks.Judge(client)
            items = [Item({"domain": self.DOMAIN, "problem": self.PROBLEM}, text) for text in (self.ANSWER, "move at:k way:k:l\n", "move at:k way:l:m\n")]
            self.assertEqual([r.raw["verdict"] == "valid" for r in judge.score(items, spec="valid")], [True, False, False])


class Best(unittest.TestCase):
    DOMAIN = """(define (domain two) (:constants a) (:predicates (off ?x) (on ?x) (up)) (:action put :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x))))
      (:action lift :parameters () :precondition (on a) :effect (up)))"""

    def task(self, goal, plan):
        problem = f"(define (problem p) (:domain two) (:objects b c) (:init (off a) (off b) (off c)) (:goal (and {goal})))"
        return data.Row("1", "", "", "", self.DOMAIN, problem, "x", gold={"plan": plan, "steps": len(plan), "cost": str(len(plan)), "optimal": True})

    def test_steps_that_are_as_good(self):
        rows = [self.task("(on a) (on b)", ["(put a)", "(put b)"]), self.task("(on b) (up)", ["(put b)", "(put a)", "(lift)"])]
        with Client(binary=binary()) as client:
            self.assertEqual([[sorted(steps) for steps in told] for told in best.best_steps(client, rows)],
                             [[["(put a)", "(put b)"], ["(put b)"]], [["(put a)", "(put b)"], ["(put a)"], ["(lift)"]]])


if __name__ == "__main__":
    unittest.main()
