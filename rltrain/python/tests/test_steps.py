"""Rewards of steps on tokens."""

import unittest

from tests.support import PACKAGE  # noqa: F401 - puts the package on the path

from planproof.steps import decode_ends, line_ends, token_rewards

TEXT = "<think>é</think>\n<plan>\n(a)\n(b)\n</plan>"


def tokens(text, size):
    """Pieces of a text and where they end."""
    pieces = [text[i: i + size] for i in range(0, len(text), size)]
    return pieces, [min(len(text), (i + 1) * size) for i in range(len(pieces))]


class Steps(unittest.TestCase):
    def test_lines(self):
        self.assertEqual(line_ends("a\n\nbc"), [1, 2, 5])
        self.assertEqual(line_ends(""), [0])

    def test_the_token_that_completes_the_line_gets_the_reward(self):
        for size in range(1, len(TEXT) + 2):
            pieces, ends = tokens(TEXT, size)
            got = token_rewards([0.25, -0.5, 1.0], [3, 4], TEXT, ends)
            self.assertEqual(len(got), len(pieces))
            self.assertAlmostEqual(sum(got), 0.75)
            for line, reward in (("(a)", 0.25), ("(b)", -0.5)):
                at = next(i for i, end in enumerate(ends) if end >= TEXT.index(line) + len(line))
                others = [r for other, r in (("(a)", 0.25), ("(b)", -0.5)) if next(i for i, e in enumerate(ends) if e >= TEXT.index(other) + 3) == at]
                self.assertAlmostEqual(got[at], sum(others) + (1.0 if at == len(ends) - 1 else 0))

    def test_edges(self):
        self.assertEqual(token_rewards([1.0], [], "x", [1]), [1.0])
        self.assertEqual(token_rewards([0.1, 0.2, 1.0], [1, 1], "(a) (b)", [3, 7]), [0.0, 0.1 + 0.2 + 1.0])
        self.assertEqual(token_rewards([0.5, 1.0], [9], "(a)\n", [3, 4]), [0.0, 1.5])  # a line that is not there
        self.assertEqual(token_rewards([0.5, 1.0], [2], "x\n(a)", [1, 2]), [0.0, 1.5])  # cut off before its end
        for bad in (([1.0, 2.0], [], "x", [1]), ([1.0], [1], "x", [1]), ([1.0], [], "", [])):
            with self.assertRaises(ValueError):
                token_rewards(*bad)

    def test_only_some_prefixes_are_decoded(self):
        text = "x" * 500 + "\n(a)\n" + "y" * 500
        looked = []

        def decode(ids):
            looked.append(len(ids))
            return "".join(map(chr, ids))

        got = token_rewards([0.5, 1.0], [2], text, decode_ends(decode, [ord(c) for c in text]))
        self.assertEqual([i for i, r in enumerate(got) if r], [503, len(text) - 1])
        self.assertLess(len(looked), 15)


if __name__ == "__main__":
    unittest.main()
