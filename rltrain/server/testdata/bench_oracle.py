"""Times scoring end to end through the standard library: bench_oracle.py http|stdio BINARY ITEMS REPEATS [SPEC]."""

import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import time

mode, binary, items, repeats = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
spec = sys.argv[5] if len(sys.argv) > 5 else "valid"

PLAN = ["(unstack b c)", "(put-down b)", "(unstack c a)", "(put-down c)", "(pick-up b)", "(stack b c)"]


def completion(i):
    """About 1 KB: thoughts, then the first steps of a plan, or all of it."""
    thought = f"Block number {i % 97} has to go first; then the one below it can be moved.\n"
    return "<think>" + thought * 13 + "</think>\n<plan>\n" + "\n".join(PLAN[: 1 + i % 6]) + "\n</plan>"


completions = [completion(i) for i in range(items)]


def request(number):
    rows = [{"id": i, "task": "blocksworld:3-5", "completion": c, "finish": "stop"} for i, c in enumerate(completions)]
    return {"schema": "planproof.score/1", "request_id": number, "spec": spec, "deadline_ms": 60000, "items": rows}


if mode == "http":
    child = subprocess.Popen([binary, "oracle", "--listen", "127.0.0.1:0", "--json"], stdout=subprocess.PIPE)
    connection = http.client.HTTPConnection(json.loads(child.stdout.readline())["listening"].split("//")[1])

    def call(body):
        connection.request("POST", "/v1/score", body=body, headers={"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.read(), answer.headers["Server-Timing"]
else:
    child = subprocess.Popen([binary, "oracle", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(body):
        child.stdin.write(body + b"\n")
        child.stdin.flush()
        return child.stdout.readline(), ""


def cpu():
    """Processor time of the oracle, in seconds."""
    with open(f"/proc/{child.pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run():
    start = time.perf_counter()
    body = json.dumps(request(0)).encode()
    encoded = time.perf_counter()
    answer, timing = call(body)
    answered = time.perf_counter()
    rows = json.loads(answer)["items"]
    end = time.perf_counter()
    assert len(rows) == items and all(row["status"] == "ok" for row in rows)
    assert [row["score"] > 0 for row in rows] == [spec != "valid" or i % 6 == 5 for i in range(items)]
    return end - start, encoded - start, end - answered, timing


run(), run()
oracle, own = cpu(), time.process_time()
runs = [run() for _ in range(repeats)]
oracle, own = cpu() - oracle, time.process_time() - own
total, encode, decode = ([1000 * r[k] for r in runs] for k in range(3))
print(
    f"{mode}, {spec}, {items} items of {sum(map(len, completions)) / items:.0f} bytes: median {statistics.median(total):.1f} ms,"
    f" 95 % {sorted(total)[int(len(total) * 0.95)]:.1f} ms; client: encode {statistics.median(encode):.1f}, decode {statistics.median(decode):.1f};"
    f" processor time a request: oracle {1000 * oracle / repeats:.1f} ms, client {1000 * own / repeats:.1f} ms"
)
if runs[0][3]:
    for name in re.findall(r"(\w+);dur=", runs[0][3]):
        print(f"  {name} {statistics.median(float(re.search(name + r';dur=([0-9.]+)', r[3])[1]) for r in runs):.1f} ms")
child.kill()
