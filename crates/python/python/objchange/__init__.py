"""Plans, states and the rules of Terraform and OpenTofu, to know a change before it happens.

>>> import objchange
>>> plan = objchange.loads('''{"format_version": "1.2", "resource_changes": [{
...     "address": "disk.a", "mode": "managed", "type": "disk", "name": "a",
...     "change": {"actions": ["create"], "before": null, "after": {"size": 10, "token": "x"},
...         "after_unknown": {"id": true}, "before_sensitive": false, "after_sensitive": {"token": true}}}]}''')
>>> change = plan.changes[0]
>>> change.address, change.actions, change.after
('disk.a', ['create'], {'id': UNKNOWN, 'size': 10, 'token': (sensitive value)})
"""

from collections.abc import Collection as _Collection
from collections.abc import Sequence as _Sequence

from . import hcl, policy
from ._actions import ACTIONS, Action
from ._checks import ReviewReport, TestReport, TestRun, review, run_tests
from ._conform import ConformFinding, ConformReport, ConformType, conform
from ._errors import (
    ConfigurationError,
    DocumentError,
    DocumentWarning,
    Error,
    InvalidValueError,
    NotFoundError,
    OptionError,
    PolicyError,
    ProviderError,
    QueryError,
    SchemaError,
)
from ._objchange import (
    UNKNOWN,
    CaseResult,
    ChangeList,
    Comparison,
    Document,
    OutputChange,
    OutputList,
    OutputValue,
    Plan,
    PlannedChange,
    QueryItem,
    QueryResult,
    ResourceChange,
    ResourceList,
    Schema,
    Schemas,
    Sensitive,
    Set,
    State,
    StateResource,
    Unknown,
    Violation,
    __version__,
    assert_object_compatible,
    assert_plan_valid,
    explain,
    graph,
    load,
    loads,
    plan_change,
    plan_module,
    proposed_new,
    query,
    run_case,
)

for _list in (ChangeList, OutputList, ResourceList):
    _Sequence.register(_list)
_Collection.register(Set)

__all__ = [
    "ACTIONS",
    "UNKNOWN",
    "Action",
    "CaseResult",
    "ChangeList",
    "Comparison",
    "ConfigurationError",
    "ConformFinding",
    "ConformReport",
    "ConformType",
    "Document",
    "DocumentError",
    "DocumentWarning",
    "Error",
    "InvalidValueError",
    "NotFoundError",
    "OptionError",
    "OutputChange",
    "OutputList",
    "OutputValue",
    "Plan",
    "PlannedChange",
    "PolicyError",
    "ProviderError",
    "QueryError",
    "QueryItem",
    "QueryResult",
    "ResourceChange",
    "ResourceList",
    "ReviewReport",
    "Schema",
    "SchemaError",
    "Schemas",
    "Sensitive",
    "Set",
    "State",
    "StateResource",
    "TestReport",
    "TestRun",
    "Unknown",
    "Violation",
    "__version__",
    "assert_object_compatible",
    "assert_plan_valid",
    "conform",
    "explain",
    "graph",
    "hcl",
    "load",
    "loads",
    "plan_change",
    "plan_module",
    "policy",
    "proposed_new",
    "query",
    "review",
    "run_case",
    "run_tests",
]
