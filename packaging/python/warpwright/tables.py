# SPDX-License-Identifier: Apache-2.0
"""Lists of records as tables: frames where pandas is installed."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, TypeVar

from . import html


class Record(Protocol):
    def row(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=Record)


class Table(list[R]):
    """A list of records: one a line in print, a table in a notebook."""

    def __str__(self) -> str:
        return "\n".join(str(record) for record in self)

    def _repr_html_(self) -> str:
        return html.table([record.row() for record in self])


def framed(records: list[R], columns: list[str], frame: bool | None) -> Any:
    """The records as a pandas frame with these columns; a Table if `frame` is False, or by default where there is no
    pandas."""
    if frame is False:
        return Table(records)
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        if frame:
            raise
        return Table(records)
    return pandas.DataFrame([record.row() for record in records], columns=columns)
