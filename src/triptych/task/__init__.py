"""What a caller says and what comes back: frozen values, standard library only."""

import copyreg
from types import MappingProxyType

from triptych.task.artifact import Artifact, Scalar
from triptych.task.event import EngineEvent, Event, Progress
from triptych.task.job import Job, JobError, Status
from triptych.task.plan import Adjustment, FitPlan, Label, Plan, Settings, Slot, Spoken, Warned
from triptych.task.probe import Probe
from triptych.task.receipt import Receipt
from triptych.task.reference import Reference
from triptych.task.request import Request
from triptych.task.result import Made, Output, Result
from triptych.task.role import Fit, Modality, Role, Tags, Task
from triptych.task.source import (
    Blob,
    BlobSource,
    BytesSource,
    DataURLSource,
    PathSource,
    ResultSource,
    Source,
    URLSource,
)
from triptych.task.store import Pending, Resolver

__all__ = [
    "Adjustment",
    "Artifact",
    "Blob",
    "BlobSource",
    "BytesSource",
    "DataURLSource",
    "EngineEvent",
    "Event",
    "Fit",
    "FitPlan",
    "Job",
    "JobError",
    "Label",
    "Made",
    "Modality",
    "Output",
    "PathSource",
    "Pending",
    "Plan",
    "Probe",
    "Progress",
    "Receipt",
    "Reference",
    "Request",
    "Resolver",
    "Result",
    "ResultSource",
    "Role",
    "Scalar",
    "Settings",
    "Slot",
    "Source",
    "Spoken",
    "Status",
    "Tags",
    "Task",
    "URLSource",
    "Warned",
]


def _read_only(values: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(values)


# Requests, plans and results are copied and travel to other processes; Python does not know how for such a mapping.
copyreg.pickle(MappingProxyType, lambda mapping: (_read_only, (dict(mapping),)))
