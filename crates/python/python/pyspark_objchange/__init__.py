"""Spark looks for sources of data in packages that are called like this one: so ``spark.read.format("objchange")`` is found."""

from objchange.spark import PlanSource as DefaultSource

__all__ = ["DefaultSource"]
