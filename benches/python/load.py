"""Times `objchange` beside `json.load` on one large plan, and beside `objchange query` on many small ones.

    cargo run --release -p objchange-plan --example large_plan
    pip install . pyarrow
    python benches/python/load.py target/large/plan.json

Each figure is the best of three runs, each in a process of its own, with the most memory that it held.
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time


def with_json(path):
    with open(path, encoding="utf-8") as file:
        return sum(1 for _ in json.load(file)["resource_changes"])


def with_objchange(path):
    import objchange

    return sum(1 for change in objchange.load(path).changes if change.actions is not None)


def to_arrow(folder):
    from objchange import arrow

    return sum(batch.num_rows for batch in arrow.read(folder))


def with_query(folder):
    return subprocess.run([*QUERY, folder, "true", "--output", "json"], stdout=subprocess.PIPE, check=True).stdout.count(b"\n")


def query_to_parquet(folder):
    subprocess.run([*QUERY, folder, "true", "--output", "parquet", "--out", os.devnull], check=True)
    return ""


# The program of this package, and not another one on the path.
QUERY = [str(pathlib.Path(sys.executable).with_name("objchange")), "query"]
TASKS = {task.__name__: task for task in (with_json, with_objchange, to_arrow, with_query, query_to_parquet)}


def run(name, path):
    """Seconds and megabytes of a task, and its answer, in a process of its own."""
    output = subprocess.run([sys.executable, __file__, "--task", name, path], check=True, capture_output=True, text=True)
    return json.loads(output.stdout)


def report(title, name, path):
    runs = [run(name, path) for _ in range(3)]
    seconds = min(seconds for seconds, _, _ in runs)
    memory = max(memory for _, memory, _ in runs)
    print(f"{title:45} {seconds:8.3f} s {memory:8.0f} MB   {runs[0][2]} rows")


def small_plans(folder, count):
    """Plans of about 20 KB."""
    change = {"actions": ["update"], "before": {"id": "i", "text": "x" * 400}, "after": {"id": "i", "text": "y" * 400}}
    resources = [
        {
            "address": f"t.r{number}",
            "mode": "managed",
            "type": "t",
            "name": f"r{number}",
            "provider_name": "registry.terraform.io/example/t",
            "change": change,
        }
        for number in range(19)
    ]
    text = json.dumps({"format_version": "1.2", "terraform_version": "1.15.0", "resource_changes": resources})
    for number in range(count):
        (pathlib.Path(folder) / f"plan{number}.json").write_text(text, encoding="utf-8")


def main():
    if sys.argv[1] == "--task":
        _, _, name, path = sys.argv
        start = time.perf_counter()
        answer = TASKS[name](path)
        seconds = time.perf_counter() - start
        memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        print(json.dumps([seconds, memory / 1024, answer]))
        return
    plan = sys.argv[1]
    print(f"{plan}, {os.path.getsize(plan) / 1e6:.0f} MB")
    report("json.load", "with_json", plan)
    report("objchange.load, all changes", "with_objchange", plan)
    with tempfile.TemporaryDirectory() as folder:
        small_plans(folder, 10_000)
        print("10,000 plans of 20 KB")
        report("objchange query --output json", "with_query", folder)
        report("objchange.arrow.read", "to_arrow", folder)
        report("objchange query --output parquet", "query_to_parquet", folder)


if __name__ == "__main__":
    main()
