"""Times Spark over 100,000 plans with `objchange` beside the same with `from_json` alone.

    pip install '.[spark]'
    python benches/python/spark.py [COUNT]

Both count the changes that delete something, by resource type. The plans are once in files of one plan a line, and once in a file
each. `from_json` gets the part of a plan's schema that the question needs.
"""

import json
import os
import pathlib
import sys
import tempfile
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

SCHEMA = "resource_changes array<struct<type: string, change: struct<actions: array<string>>>>"


def plan(number):
    changes = [
        {
            "address": f"t{index % 3}.r{index}",
            "mode": "managed",
            "type": f"t{index % 3}",
            "name": f"r{index}",
            "provider_name": "registry.terraform.io/example/t",
            "change": {
                "actions": ["delete"] if (number + index) % 4 == 0 else ["update"],
                "before": {"id": "i", "text": "x" * 100},
                "after": None if (number + index) % 4 == 0 else {"id": "i", "text": "y" * 100},
                "after_unknown": {},
                "before_sensitive": {},
                "after_sensitive": {},
            },
        }
        for index in range(5)
    ]
    return json.dumps({"format_version": "1.2", "terraform_version": "1.15.0", "resource_changes": changes})


def with_objchange(spark, paths):
    rows = spark.read.format("objchange").load(paths)
    return rows.filter("array_contains(actions, 'delete')").groupBy("type").count()


def with_from_json(spark, paths):
    texts = spark.read.option("recursiveFileLookup", True).text(paths, wholetext=not paths.endswith("lines"))
    changes = texts.select(f.explode(f.from_json("value", SCHEMA).resource_changes).alias("rc"))
    return changes.filter("array_contains(rc.change.actions, 'delete')").groupBy("rc.type").count()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    # Otherwise Spark runs the first Python on the path.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        lines, files = pathlib.Path(folder) / "lines", pathlib.Path(folder) / "files"
        lines.mkdir()
        size = 0
        for part in range(0, count, 10_000):
            with open(lines / f"{part}.jsonl", "w", encoding="utf-8") as out:
                for number in range(part, min(part + 10_000, count)):
                    text = plan(number)
                    size += len(text)
                    out.write(text + "\n")
                    place = files / str(number // 1000)
                    place.mkdir(parents=True, exist_ok=True)
                    (place / f"{number}.json").write_text(text, encoding="utf-8")
        print(f"{count} plans, {size / 1e6:.0f} MB")
        for title, paths in (("a plan a line", lines), ("a plan a file", files)):
            answers = []
            for task in (with_from_json, with_objchange):
                start = time.perf_counter()
                answers.append(sorted(map(tuple, task(spark, str(paths)).collect())))
                print(f"{title}, {task.__name__:15} {time.perf_counter() - start:8.1f} s", flush=True)
            assert answers[0] == answers[1], answers
    spark.stop()


if __name__ == "__main__":
    main()
