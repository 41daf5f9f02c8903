"""Parses parenthesised text into nested lists; PDDL is read from these.

Many problem files may be read, so parsing must be fast. The text is split at its parentheses, and words are split by
``str.split``. A block stores only the position of its ``(``; line numbers are computed when an error needs them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from goalward.errors import PddlError, UsageError

MAX_DEPTH = 200
"""Maximum nesting of parentheses; keeps recursion over blocks far from Python's recursion limit."""

MAX_BYTES = 256 * 2**20
"""Maximum size of a file."""
CHUNK_BYTES = 4 * 2**20

MAX_HEADER_BYTES = 65536
_STORED_FORMAT = re.compile(rb'\\"format\\": \\"goalward-([a-z-]+)\\"')  # in the header of a model or other stored file
_PLAN = re.compile(r"(\s*\((?!\s*define\b)[^()]+\))+\s*")
_COMMENT = re.compile(r";[^\n]*")
_WORD = re.compile(r"\?[^\s?]*|[^\s?]+")  # a "?" always starts a new word, as in (on?x?y)
_TOKEN = re.compile(r";[^\n]*|[()]|\?[^\s()?;]*|[^\s()?;]+")
_NON_ASCII = re.compile(r"[^\x00-\x7f]")


IS_A_PLAN = "this looks like a plan, but PDDL is expected here"


class Block(list["str | Block"]):
    """A parenthesised list of lower-case words and blocks; ``offset`` is the position of its ``(``."""

    __slots__ = ("offset",)
    offset: int


def read_text(path: str | Path) -> str:
    """Return the text of a file with ``\\n`` line ends; comments may hold bytes of any encoding."""
    try:
        with open(path, "rb") as file:
            data = bytearray()  # a single read would allocate memory for the largest file allowed
            while len(data) <= MAX_BYTES and (chunk := file.read(CHUNK_BYTES)):
                data += chunk
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path}: is a directory, not a file") from None
    except PermissionError:
        raise UsageError(f"{path}: no permission to read this file") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({os.strerror(error.errno or 0)})") from None
    except ValueError:
        raise UsageError(f"{str(path)!r} is not a file name") from None
    if len(data) > MAX_BYTES:
        raise PddlError(f"is larger than {MAX_BYTES // 2**20} MB", path)
    if b"\0" in data:
        stored = _STORED_FORMAT.search(data, 0, MAX_HEADER_BYTES)
        kind = stored[1].decode().replace("-", " ") if stored else ""
        raise PddlError(f"is a goalward {kind}, not a text file such as PDDL" if kind else "is not a text file", path)
    return data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")


def parse(text: str, source: str) -> Block:
    """Parse one parenthesised expression into blocks of lower-case words; ``source`` is its name in errors."""
    if "\0" in text:
        raise PddlError("is not a text file", source)
    if ";" in text:
        text = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)  # spaces keep all offsets valid
    if not text.isascii():
        raise _non_ascii(text, source)
    text = text.lower()
    words = _WORD.findall if "?" in text else str.split
    before, *pieces = text.split("(")
    offset = len(before)
    root = block = Block()
    parents: list[Block] = []
    for piece in pieces:
        head, closed, tail = piece.partition(")")
        child = Block(words(head))
        child.offset = offset
        offset += len(piece) + 1
        block.append(child)
        if not closed:
            parents.append(block)
            block = child
            if len(parents) >= MAX_DEPTH:
                raise PddlError(
                    f"parentheses are nested more than {MAX_DEPTH} deep", source, line_of(text, child.offset)
                )
        elif tail and not tail.isspace():
            first, *others = tail.split(")")
            block += words(first)
            for rest in others:
                if not parents:
                    raise _misplaced_parenthesis(text, source)
                block = parents.pop()
                block += words(rest)
    if parents or len(root) != 1 or not (before == "" or before.isspace()):
        raise PddlError(IS_A_PLAN, source) if _PLAN.fullmatch(text) else _misplaced_parenthesis(text, source)
    (expression,) = root
    assert isinstance(expression, Block)
    return expression


def line_of(text: str, offset: int) -> int:
    """Return the line, counted from 1, of a position in ``text``."""
    return text.count("\n", 0, offset) + 1


def element_offset(text: str, block: Block, index: int) -> int:
    """Return the position of ``block[index]``, by scanning ``text`` from the start of the block."""
    depth = seen = 0
    for token in _TOKEN.finditer(text, block.offset):
        kind = token[0][0]
        if kind == ";":
            continue
        if depth == 1 and kind != ")":
            if seen == index:
                return token.start()
            seen += 1
        depth += (kind == "(") - (kind == ")")
        if depth == 0:
            break
    return block.offset


def element_line(text: str, block: Block, index: int) -> int:
    """Return the line of ``block[index]``."""
    return line_of(text, element_offset(text, block, index))


def _non_ascii(text: str, source: str) -> PddlError:
    if text.startswith(("\ufeff", "\xef\xbb\xbf")):
        return PddlError("starts with a byte-order mark; save it as plain text without one", source, 1)
    found = _NON_ASCII.search(text)
    assert found is not None
    return PddlError("non-ASCII characters are allowed in comments only", source, line_of(text, found.start()))


def _misplaced_parenthesis(text: str, source: str) -> PddlError:
    """Return an error that points at the likely misplaced parenthesis of a text that is not one balanced expression."""

    def error(message: str, offset: int) -> PddlError:
        return PddlError(message, source, line_of(text, offset))

    opened: list[int] = []
    end = -1  # where the expression was closed
    suspect: tuple[int, int] | None = None  # the first section inside another one, and the "(" left open around it
    after_opening = False
    for token in _TOKEN.finditer(text):
        here, word = token.start(), token[0]
        if word == ")":
            if not opened:
                return error("this ')' has no '(' to close", here)
            if len(opened) == 1:
                end = here
            opened.pop()
        elif end >= 0:
            closing = line_of(text, end)
            return error(
                f"nothing may follow the ')' on line {closing} that ends the definition; is there one ')' too many?",
                here,
            )
        elif word == "(":
            opened.append(here)
        elif not opened:
            return error(f"expected '(' but found {word[:60]!r}", here)
        elif after_opening and word[0] == ":" and len(opened) > 2 and suspect is None:
            suspect = opened[-2], here
        after_opening = word == "("
    if suspect is not None:
        around, section = suspect
        return error(f"this '(' is never closed before the section on line {line_of(text, section)}", around)
    if opened:
        return error("this '(' is never closed", opened[-1])
    return PddlError("is empty", source)
