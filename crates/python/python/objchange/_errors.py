"""The exceptions of the package, and its warning."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Why there is no answer. All exceptions of the package are of this class.

    No exception holds a value of a document. Files that cannot be opened raise what ``open`` raises.
    """

    message: str
    """The sentence about the problem, without its place."""
    kind: str
    """The stable name of the kind of error. Sentences may change."""
    path: str | None
    """Where in the value or document."""
    file: str | None
    """The name of the file."""
    line: int | None
    """The line, from 1."""
    column: int | None
    """The column in bytes, from 1."""

    def __init__(
        self,
        message: str,
        *,
        kind: str = "",
        path: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.path = path
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        if self.file is not None:
            place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        elif self.line is not None:
            place = f"line {self.line}" + ("" if self.column is None else f", column {self.column}")
        else:
            place = ""
        return ": ".join(part for part in (place, self.path, self.message) if part)

    def __reduce__(self) -> tuple[Any, ...]:
        # By default pickle calls the class with `args` alone and loses the keywords. Errors of
        # processes are pickled.
        return type(self), (self.message,), self.__dict__.copy()


class DocumentError(Error, ValueError):
    """A plan or state cannot be read, or is not fit for what was asked."""


class SchemaError(Error, ValueError):
    """Schemas cannot be read, or a value does not fit its schema."""


class QueryError(Error, ValueError):
    """A query cannot be used, or takes too much."""


class PolicyError(Error, ValueError):
    """A policy cannot be used, or takes too much."""


class ConfigurationError(Error, ValueError):
    """Configuration cannot be read, or has no value."""


class ProviderError(Error):
    """A provider cannot be tested."""


class InvalidValueError(Error, ValueError):
    """An object of Python is no value of Terraform."""


class OptionError(Error, ValueError):
    """An argument has a value that it cannot have."""


class NotFoundError(Error, KeyError):
    """Nothing has this address or name."""


class DocumentWarning(UserWarning):
    """Something around a document was passed over, a plan is incomplete, or a choice matches nothing in it."""
