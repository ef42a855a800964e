"""The 1,000 golden responses of the Go package, through this client: the same scores over
a pipe and over HTTP, and over HTTP the same bytes."""

import hashlib
import http.client
import json
import unittest

from tests.support import CHECKOUT, RealOracle, binary

from planproof import Client

FOLDER = CHECKOUT / "rltrain/oracle/testdata/golden"


@unittest.skipUnless((FOLDER / "scores.jsonl").exists(), "the golden responses are missing")
class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lines = [line for line in (FOLDER / "requests.jsonl").read_text().splitlines() if line]
        cls.want = [json.loads(line) for line in (FOLDER / "scores.jsonl").read_text().splitlines()]
        cls.oracle = RealOracle()

    @classmethod
    def tearDownClass(cls):
        cls.oracle.close()

    def check(self, client):
        count = 0
        with client:
            for line, want in zip(self.lines, self.want, strict=True):
                request = json.loads(line)
                items = [{**item, "task": item.get("task", request.get("task"))} for item in request["items"]]
                got = client.score(items, spec=request.get("spec"), reader=request["reader"], on_error="none")
                self.assertEqual([r.score for r in got], want["scores"])
                count += len(got)
        self.assertEqual(count, 1000)

    def test_stdio(self):
        self.check(Client(binary=binary()))

    def test_http(self):
        self.check(Client(self.oracle.url))

    def test_bytes_over_http(self):
        conn = http.client.HTTPConnection("127.0.0.1", self.oracle.port, timeout=120)
        for line, want in zip(self.lines, self.want, strict=True):
            conn.request("POST", "/v1/score", line.encode(), {"Content-Type": "application/json"})
            body = conn.getresponse().read().rstrip(b"\n")
            items = body[body.index(b',"items":') + len(b',"items":'):-1]
            self.assertEqual(hashlib.sha256(items).hexdigest(), want["items_sha256"])
        conn.close()


if __name__ == "__main__":
    unittest.main()
