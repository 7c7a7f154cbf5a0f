"""Terraform's configuration language."""

from ._objchange import evaluate

__all__ = ["evaluate"]
