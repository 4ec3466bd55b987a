"""Draws README's picture of `aclsan top`: what a real terminal, tmux, shows of a server that runs on the simulator.

    python3 tests/browser/top.py target/debug/aclsan PROGRAM tests/browser/top.svg

PROGRAM is tests/programs/watch/server.c, built against the simulator. Needs tmux.
"""

import html
import re
import subprocess
import sys
import tempfile
import time
import unicodedata

COLUMNS, LINES, WIDTH, HEIGHT = 96, 22, 8.4, 18
COLORS = {30: "#20242b", 31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2", 37: "#abb2bf"}
BACKGROUND, TEXT = "#1e222a", "#d7dae0"


def tmux(*arguments):
    return subprocess.run(["tmux", "-L", "aclsan-picture", *arguments], check=True, capture_output=True, text=True).stdout


def screen(aclsan, program):
    """The pane once the server has served for a while, with its escape sequences."""
    with tempfile.TemporaryDirectory() as folder:
        size = ["-x", str(COLUMNS), "-y", str(LINES)]
        tmux("new-session", "-d", *size, "-c", folder, f"exec {aclsan} run --simulate --no-report -o logs/ -- {program}")
        try:
            tmux("send-keys", "-t", ":0", "serve 20", "Enter")
            time.sleep(3)
            tmux("new-window", "-c", folder, f"TERM=xterm-256color exec {aclsan} top logs/")
            for _ in range(14):
                tmux("send-keys", "-t", ":0", "serve 40", "Enter")
                time.sleep(2)
            return tmux("capture-pane", "-t", ":1", "-p", "-e")
        finally:
            tmux("kill-server")


def runs(line):
    """Pieces of a line with their styles: color, whether bold, whether reversed."""
    color, bold, reverse = TEXT, False, False
    for escape, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
        if text:
            yield text, color, bold, reverse
            continue
        for code in [int(code or 0) for code in escape.split(";")]:
            if code == 0:
                color, bold, reverse = TEXT, False, False
            elif code in (1, 7):
                bold, reverse = bold or code == 1, reverse or code == 7
            elif code == 39:
                color = TEXT
            elif code % 60 in COLORS:
                color = COLORS[code % 60]


def columns(text):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def drawn(text):
    width, height = COLUMNS * WIDTH + 24, LINES * HEIGHT + 24
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}">',
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
    ]
    for row, line in enumerate(text.split("\n")[:LINES]):
        column, y = 0, 12 + row * HEIGHT
        for piece, color, bold, reverse in runs(line):
            x, wide = 12 + column * WIDTH, columns(piece) * WIDTH
            if reverse:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{HEIGHT}" fill="{color}"/>')
                color = BACKGROUND
            weight = ' font-weight="bold"' if bold else ""
            if piece.strip():
                shown = html.escape(piece).replace(" ", "\u00a0")  # viewers drop plain ones
                size = f'textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs"'
                out.append(f'<text x="{x:.1f}" y="{y + 14}" fill="{color}"{weight} {size}>{shown}</text>')
            column += columns(piece)
    return "\n".join([*out, "</g>", "</svg>", ""])


if __name__ == "__main__":
    aclsan, program, picture = sys.argv[1:]
    with open(picture, "w", encoding="utf-8") as file:
        file.write(drawn(screen(aclsan, program)))
