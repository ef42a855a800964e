"""The geometry of planproof.boxnet3d, which needs no MuJoCo."""

import math
import random
import unittest

from tests.support import PACKAGE  # noqa: F401 - finds the package

from planproof.boxnet3d import TRAVEL, arm_angles, model_text, rrt_connect, tip_of, way


class Geometry(unittest.TestCase):
    def test_inverse_kinematics(self):
        rng = random.Random(1)
        for z in (0.07, TRAVEL):
            for _ in range(500):
                r, angle = rng.uniform(0.4, 0.8), rng.uniform(-math.pi, math.pi)
                place = (r * math.cos(angle), r * math.sin(angle), z)
                q = arm_angles(*place)
                self.assertLess(math.dist(tip_of(q), place), 1e-9)
                self.assertAlmostEqual(q[1] + q[2] + q[3], math.pi / 2)  # the tool points down
        for far in ((1.2, 0, 0.2), (0.05, 0, 0.2)):
            with self.assertRaises(ValueError):
                arm_angles(*far)

    def test_way(self):
        quarter = way((1.1, 1.1), (0.55, 1.65), (0.55, 0.55))
        self.assertLess(math.dist(quarter(0.5), (1.1 - 0.55 * math.sqrt(2), 1.1)), 1e-9)
        half = way((0, 0), (0, -0.5), (0, 0.7))  # counter-clockwise: over the right, then out
        self.assertLess(math.dist(half(0.25 * math.pi / (0.5 * math.pi + 0.2)), (0.5, 0)), 1e-9)
        self.assertLess(math.dist(half(0.5 * math.pi / (0.5 * math.pi + 0.2)), (0, 0.5)), 1e-9)
        inwards = way((0, 0), (0.7, 0), (0, 0.5))
        self.assertLess(math.dist(inwards(0.2 / (0.25 * math.pi + 0.2)), (0.5, 0)), 1e-9)
        for at, start, end in ((quarter, (0.55, 1.65), (0.55, 0.55)), (half, (0, -0.5), (0, 0.7)), (inwards, (0.7, 0), (0, 0.5))):
            self.assertLess(math.dist(at(0), start), 1e-9)
            self.assertLess(math.dist(at(1), end), 1e-9)

    def test_rrt_connect(self):
        def free(q):
            return not (abs(q[0]) < 0.2 and q[1] < 0.5)

        found = rrt_connect([-1, 0], [1, 0], free, random.Random(2))
        self.assertEqual((found[0], found[-1]), ([-1, 0], [1, 0]))
        self.assertTrue(all(free(q) for q in found) and max(q[1] for q in found) > 0.4)
        self.assertIsNone(rrt_connect([-1, 0], [1, 0], lambda q: abs(q[0]) > 0.2, random.Random(2), tries=50))

    def test_model(self):
        row = {"map": [2, 2], "robots": [{"name": "A", "base": [1.1, 1.1], "arm": [1.24, 0.61]}],
               "objects": [{"name": "x", "at": [0.55, 0.55], "target": [1.65, 1.65]}], "obstacles": [{"name": "p", "at": [0.2, 0.3], "radius": 0.1, "height": 0.3}]}
        text = model_text(row)
        self.assertEqual((text.count("<joint "), text.count("<freejoint/>"), text.count("</body>")), (6, 1, text.count("<body ")))


if __name__ == "__main__":
    unittest.main()
