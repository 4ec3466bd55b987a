"""GitHub workflow expressions, the subset that ours use: names, strings, `==`, `!=`, `&&`, `||`, brackets, status functions.

What is not known is an error: a name that is misspelt would be empty on GitHub, without a word.
"""

import re

TOKEN = re.compile(r"\s*(\|\||&&|==|!=|!|\(|\)|'[^']*'|[A-Za-z_][\w.-]*(?:\(\))?)")
STATUS = {
    "always()": lambda failed: True,
    "success()": lambda failed: not failed,
    "failure()": lambda failed: failed,
}


def text(template, context):
    """Expands `${{ … }}` in a string."""
    if isinstance(template, bool):
        return str(template).lower()
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(value(match[1], context)), str(template))


def value(expression, context):
    """The value of an expression: a string, or true or false."""
    tokens, at = [], 0
    expression = expression.strip()
    while at < len(expression):
        match = TOKEN.match(expression, at)
        assert match, f"not understood: {expression[at:]}"
        tokens.append(match[1])
        at = match.end()
    found = either(tokens, context)
    assert not tokens, f"left over in {expression}: {tokens}"
    return found


def either(tokens, context):
    found = both(tokens, context)
    while tokens and tokens[0] == "||":
        tokens.pop(0)
        other = both(tokens, context)
        found = found or other
    return found


def both(tokens, context):
    found = compared(tokens, context)
    while tokens and tokens[0] == "&&":
        tokens.pop(0)
        other = compared(tokens, context)
        found = found and other
    return found


def compared(tokens, context):
    found = one(tokens, context)
    if tokens and tokens[0] in ("==", "!="):
        sign, other = tokens.pop(0), one(tokens, context)
        return (found == other) == (sign == "==")
    return found


def one(tokens, context):
    token = tokens.pop(0)
    if token == "!":
        return not one(tokens, context)
    if token == "(":
        found = either(tokens, context)
        assert tokens.pop(0) == ")"
        return found
    if token.startswith("'"):
        return token[1:-1]
    if token in STATUS:
        return STATUS[token](context["failed"])
    found = context
    names = token.split(".")
    for position, name in enumerate(names):
        if position >= 2 and names[0] == "steps" and name not in found:
            # A step that did not get this far has not set it.
            return ""
        found = found[name]
    return found
