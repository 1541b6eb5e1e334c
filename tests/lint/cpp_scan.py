"""A scanner for C++ text: blanks comments and literals, finds functions and their parameters.

It needs no compiler and no build folder.  It is exact for the project's style, not for all of C++.
"""

import dataclasses
import re

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_TEMPLATE = re.compile(r"\btemplate\s*<")
_QUALIFIERS = re.compile(
    r"(?:\s*(?:const|override|final|mutable|noexcept(?:\([^()]*\))?|&&?|ABSL_\w+(?:\([^()]*\))?"
    r"|->\s*[\w:<>,\s*&]+))*\s*$"
)
_NOT_A_NAME = {"alignas", "decltype", "explicit", "noexcept", "requires", "__attribute__"}
_CONTROL = re.compile(r"^\s*(?:else\s+)?(?:if|for|while|switch|do|else)\b")
_SCOPE_WORDS = re.compile(r"\b(?:class|struct|union|enum)\b")


@dataclasses.dataclass(frozen=True)
class Function:
    name: str
    line: int
    lines: int  # 0 for a declaration
    parameters: int


def _blank_match(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_comments(text):
    """Comments become blanks; literals stay; every position keeps its line."""
    return _TOKEN.sub(
        lambda match: _blank_match(match) if match.group(0).startswith("/") else match.group(0),
        text,
    )


def code_only(text):
    """Comments, literals and preprocessor lines become blanks; every position keeps its line."""
    return _PREPROCESSOR.sub(_blank_match, _TOKEN.sub(_blank_match, text))


def comments_only(text):
    """The reverse: everything but comments becomes blank."""
    kept = [" " if char != "\n" else char for char in text]
    for match in _TOKEN.finditer(text):
        if match.group(0).startswith("/"):
            kept[match.start() : match.end()] = match.group(0)
    return "".join(kept)


def _drop_template_prefix(header):
    while True:
        match = _TEMPLATE.search(header)
        if match is None:
            return header
        depth, end = 0, match.end() - 1
        for end in range(match.end() - 1, len(header)):
            depth += {"<": 1, ">": -1}.get(header[end], 0)
            if depth == 0:
                break
        header = header[: match.start()] + " " * (end + 1 - match.start()) + header[end + 1 :]


def _is_angle(header, index):
    return (
        header[index] == "<"
        and re.search(r"\w$", header[:index]) is not None
        and not header[:index].endswith("operator")
    )


def _parameter_list(header):
    """(name, text between the parentheses) of the function a header names, or None."""
    angle = 0
    for index, char in enumerate(header):
        if _is_angle(header, index):
            angle += 1
        elif char == ">" and angle and header[index - 1] != "-":
            angle -= 1
        elif char == "(" and not angle:
            name = re.search(r"(operator\s*(?:\(\)|[^\s\w(]+|\s\w+)|~?\w+)\s*$", header[:index])
            if header[:index].rstrip().endswith("operator") or name is None:
                continue
            if name.group(1) in _NOT_A_NAME or header[:index].rstrip().endswith("]]"):
                continue
            return name.group(1), _inside(header, index)
    return None


def _inside(header, opening):
    depth = 0
    for index in range(opening, len(header)):
        depth += {"(": 1, ")": -1}.get(header[index], 0)
        if depth == 0:
            return header[opening + 1 : index]
    return header[opening + 1 :]


def _count_parameters(inside):
    if inside.strip() in ("", "void"):
        return 0
    depth, count = 0, 1
    for index, char in enumerate(inside):
        if char in "([{" or _is_angle(inside, index):
            depth += 1
        elif char in ")]}" or (char == ">" and inside[index - 1] != "-"):
            depth = max(0, depth - 1)
        elif char == "," and depth == 0:
            count += 1
    return count


def _kind(header):
    header = _drop_template_prefix(header)
    body = _QUALIFIERS.sub("", header)
    has_initialisers = re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", header) is not None
    ends_as_function = body.endswith(")") or (has_initialisers and body.endswith("}"))
    if (
        "(" in header
        and ends_as_function
        and not re.search(r"(?<![=!<>])=(?![=])\s*[^=]", _before(header))
    ):
        return "function"
    if "(" not in header and re.search(r"\bnamespace\b|\bextern\b", header):
        return "namespace"
    return "class" if _SCOPE_WORDS.search(header) else "other"


def _before(header):
    """What stands before the first parenthesis, without operator names."""
    return re.sub(r"operator\s*[^\s\w(]+", "operator", header.split("(", 1)[0])


def _function(code, start, header, end):
    found = _parameter_list(_drop_template_prefix(header))
    if found is None:
        return None
    first = start + len(header) - len(header.lstrip())
    line = code.count("\n", 0, first) + 1
    length = code.count("\n", first, end) + 1 if end else 0
    return Function(found[0], line, length, _count_parameters(found[1]))


def _declaration(code, start, header):
    stripped = header.strip()
    if "(" not in stripped or re.match(
        r"(?:using|typedef|static_assert|return|friend\s+class)\b", stripped
    ):
        return None
    if re.search(r"(?<![=!<>])=(?![=])", _before(_drop_template_prefix(header))):
        return None
    return _function(code, start, header, None)


def functions(text):
    """Every function definition and declaration at namespace or class scope."""
    code = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", _blank_match, code_only(text))
    found, stack, start, parentheses = [], [], 0, 0
    for index, char in enumerate(code):
        outside = all(kind in ("namespace", "class") for kind, _, _ in stack)
        if char in "()":
            parentheses += 1 if char == "(" else -1
        elif char == "{":
            kind = _kind(code[start:index]) if outside and parentheses == 0 else "other"
            stack.append((kind, start, index))
            if kind != "other":
                start = index + 1
        elif char == "}" and stack:
            kind, opened, brace = stack.pop()
            if kind == "function":
                found.append(_function(code, opened, code[opened:brace], index))
            if kind != "other":
                start = index + 1
        elif char == ";" and parentheses == 0 and outside:
            found.append(_declaration(code, start, code[start:index]))
            start = index + 1
    return [function for function in found if function is not None]


def control_depths(text):
    """(line, depth) of every braced control block; depth counts it and the ones around it."""
    code, stack, start, parentheses = code_only(text), [], 0, 0
    for index, char in enumerate(code):
        if char in "()":
            parentheses += 1 if char == "(" else -1
        elif char == "{":
            stack.append(_CONTROL.match(code[start:index]) is not None)
            start = index + 1
            if stack[-1]:
                yield code.count("\n", 0, index) + 1, sum(stack)
        elif char == "}" and stack:
            stack.pop()
            start = index + 1
        elif char == ";" and parentheses == 0:
            start = index + 1
