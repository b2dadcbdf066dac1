"""Exceptions: each result of the C library as the Python exception that a reader expects."""


class TactusError(Exception):
    """An error of the library. `result` is its name in C, such as 'TAC_ERROR_VALUE'."""

    result = ""


class TactusFileError(TactusError, OSError):
    """A file cannot be read, or is not well formed."""


class TactusValueError(TactusError, ValueError):
    """A value is missing, out of range or not finite."""


class TactusUnsupported(TactusError, NotImplementedError):
    """A scene asks for something that Tactus does not have."""


class TactusDiverged(TactusError, ArithmeticError):
    """The state became non-finite, or a solver did not reach its tolerance."""


class TactusMemoryError(TactusError, MemoryError):
    """Out of memory."""


KINDS = {
    "TAC_ERROR_FILE": TactusFileError,
    "TAC_ERROR_SYNTAX": TactusFileError,
    "TAC_ERROR_UNSUPPORTED": TactusUnsupported,
    "TAC_ERROR_DIVERGED": TactusDiverged,
    "TAC_ERROR_UNSOLVED": TactusDiverged,
    "TAC_ERROR_MEMORY": TactusMemoryError,
}


def make(result, what, meaning):
    """The exception of a result; called by the extension."""
    text = what if meaning in what or ": " in what and len(what) > 40 else f"{what}: {meaning}"
    error = KINDS.get(result, TactusValueError)(text)
    error.result = result
    return error
