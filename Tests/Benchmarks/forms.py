#!/usr/bin/env python3
"""Draws the cost of a patch over the size of the state and over the size of the change.

    Tests/Benchmarks/forms.py                    builds, measures, writes Tests/Benchmarks/forms.svg
    Tests/Benchmarks/forms.py plot.svg <rows     draws the rows of `store-benchmark "form,"`

A row is `form, 10 of 10000   41.5 (398); 201.3, 45.6`: microseconds from a committed state to its patch,
the bytes of the patch; the reducer's copy, and `==`.
"""
import math
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"form, (.*?) +([\d.]+) \((\d+)\); ([\d.]+), ([\d.]+)")
WIDTH, HEIGHT, LEFT, TOP = 400, 300, 70, 50
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#777777"]


def rows():
    """The measured rows by name: microseconds of the patch, its bytes, and of copy and `==` together."""
    if len(sys.argv) > 1:
        text = sys.stdin.read()
    else:
        build = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
        subprocess.run([*build, "--product", "store-benchmark"], cwd=ROOT, check=True)
        run = [ROOT / ".build/release/store-benchmark", "form,"]
        text = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    return {name: (float(patch), int(size), float(copy) + float(equal))
            for name, patch, size, copy, equal in ROW.findall(text)}


def panels(measured):
    """A title and the series of points of each panel."""
    def over(pattern, x, y):
        return [(x(int(match[1]), row), y(row)) for name, row in measured.items()
                if (match := re.fullmatch(pattern, name))]

    def records(count, _): return count
    def patch_bytes(_, row): return row[1]
    def patch(row): return row[0]
    def reducer(row): return row[2]
    middle, some = r"the middle of (\d+), as long", r"(\d+) of 10000"
    return [
        ("records in the state, 110 bytes each", [
            ("patch: a counter beside them", over(r"a counter beside (\d+) records", records, patch)),
            ("patch: one of them", over(middle, records, patch)),
            ("patch: every one", over(r"every one of (\d+)", records, patch)),
            ("one of them: the reducer's copy, and ==", over(middle, records, reducer)),
        ]),
        ("bytes of the patch; some of 10,000 records change", [
            ("patch", over(some, patch_bytes, patch)),
            ("", []), ("", []),
            ("the reducer's copy, and ==", over(some, patch_bytes, reducer)),
        ]),
    ]


def draw(panel, offset, lines):
    title, series = panel
    points = [point for _, line in series for point in line]
    if not points:
        return
    low = [math.floor(math.log10(max(1e-1, min(p[axis] for p in points)))) for axis in (0, 1)]
    high = [math.ceil(math.log10(max(p[axis] for p in points))) for axis in (0, 1)]

    def place(x, y):
        part = [(math.log10(max(value, 1e-1)) - low[axis]) / max(1, high[axis] - low[axis])
                for axis, value in enumerate((x, y))]
        return offset + part[0] * WIDTH, TOP + (1 - part[1]) * HEIGHT

    for power in range(low[0], high[0] + 1):
        x, _ = place(10 ** power, 1)
        lines.append(f'<path d="M{x:.0f} {TOP}v{HEIGHT}" stroke="#ddd"/>')
        lines.append(text(x, TOP + HEIGHT + 16, f"{10 ** power:,}", "middle"))
    for power in range(low[1], high[1] + 1):
        _, y = place(1, 10.0 ** power)
        lines.append(f'<path d="M{offset} {y:.0f}h{WIDTH}" stroke="#ddd"/>')
        lines.append(text(offset - 6, y + 4, f"{10 ** power:,}", "end"))
    for index, (name, line) in enumerate(series):
        if not line:
            continue
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in sorted(line))
        lines.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[index]}"'
                     ' stroke-width="2"/>')
        lines.append(text(offset + 8, TOP + 16 + 15 * index, name, "start", COLOURS[index]))
    lines.append(text(offset + WIDTH / 2, TOP + HEIGHT + 36, title, "middle"))


def text(x, y, content, anchor, colour="#222"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{content}</text>'


def main():
    measured = rows()
    width, height = 2 * (WIDTH + LEFT) + 30, HEIGHT + TOP + 50
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
             ' font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>',
             text(LEFT, 26, "µs from a committed state to the bytes of its patch", "start")]
    for index, panel in enumerate(panels(measured)):
        draw(panel, LEFT + index * (WIDTH + LEFT), lines)
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "Tests/Benchmarks/forms.svg"
    target.write_text("\n".join([*lines, "</svg>", ""]))
    print("| change | µs to the patch | bytes | the reducer's copy, and == |\n|---|---|---|---|")
    for name, (patch, size, reducer) in measured.items():
        print(f"| {name} | {patch:g} | {size:,} | {reducer:.1f} |")


main()
