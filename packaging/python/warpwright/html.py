# SPDX-License-Identifier: Apache-2.0
"""Tables and charts for notebooks, as HTML without scripts. Every text is escaped."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, Mapping, Sequence

MOST_ROWS = 200


def shown(value: Any) -> str:
    """A value as a reader sees it; nothing for what is unknown."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= 120 else text[:119] + "…"


def paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{escape(t)}</p>" for t in texts if t)


def code(text: str) -> str:
    return f"<pre>{escape(text)}</pre>" if text else ""


def cell(name: str, value: Any) -> str:
    if name == "hash":  # its beginning names it; all of it would push the other columns out of sight
        return f'<td title="{escape(shown(value))}">{escape(shown(value)[:12])}</td>'
    return f"<td>{escape(shown(value))}</td>"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with the same members. Of a long list, the first ones; a line says how many more there are."""
    if not rows:
        return "<p>none</p>"
    head = "".join(f"<th>{escape(str(name))}</th>" for name in rows[0])
    body = "".join(
        "<tr>" + "".join(cell(str(name), v) for name, v in row.items()) + "</tr>" for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + (
        f"<p>and {more} more</p>" if more > 0 else ""
    )


def best_so_far(scores: Sequence[float | None]) -> list[float | None]:
    """The best (lowest) score after each candidate; None before the first that has one."""
    best: float | None = None
    out: list[float | None] = []
    for score in scores:
        if score is not None and (best is None or score < best):
            best = score
        out.append(best)
    return out


def chart(scores: Sequence[float | None], unit: str) -> str:
    """The best score so far over the number of candidates, as SVG; dots are the candidates. Nothing where none has a
    score."""
    line = best_so_far(scores)
    known = [s for s in scores if s is not None]
    if not known:
        return ""
    low, high = min(known), max(known)
    spread = high - low or 1.0
    label = f"Best score so far: {shown(line[-1])} {unit} after {len(scores)} candidates; lower is better"
    width, height, left, top = max(480, 12 + 7 * len(label)), 160, 70, 12

    def x(i: int) -> float:
        return left + (width - left - 12) * (i + 0.5) / len(scores)

    def y(score: float) -> float:
        return top + (height - top - 30) * (high - score) / spread

    steps = ""
    for i, best in enumerate(line):
        if best is None:
            continue
        steps += f"H{x(i):.1f}V{y(best):.1f}" if steps else f"M{x(i):.1f} {y(best):.1f}"
    dots = "".join(
        f'<circle cx="{x(i):.1f}" cy="{y(s):.1f}" r="3" fill="gray"/>' for i, s in enumerate(scores) if s is not None
    )
    marks = [(high, y(high))] + ([(low, y(low))] if low < high else [])
    ticks = "".join(
        f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{escape(shown(score))}</text>' for score, at in marks
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11" '
        f'fill="currentColor"><title>{escape(label)}</title>{ticks}{dots}'
        f'<path d="{steps}" fill="none" stroke="currentColor" stroke-width="2"/>'
        f'<text x="6" y="{height - 8}">{escape(label)}</text></svg>'
    )
