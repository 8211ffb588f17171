"""Fail unless a checker knows the type of every public name of a package, as seen from an environment that has it.

Usage: public_types.py PYRIGHT ENVIRONMENT MODULE [EXCEPT…], where EXCEPT are modules that need what isn't installed there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys


def main(pyright: str, environment: str, module: str, *others: str) -> int:
    """Print what has no known type; return the exit code."""
    search = {"VIRTUAL_ENV": environment, "PATH": f"{environment}/bin:{os.environ['PATH']}"}
    command = [pyright, "--ignoreexternal", "--outputjson", "--verifytypes", module]
    # Its own exit code would count `others`; no report is a failure all the same.
    found = subprocess.run(command, env=os.environ | search, cwd=environment, capture_output=True, text=True)
    symbols = json.loads(found.stdout)["typeCompleteness"]["symbols"]
    hidden = tuple(f"{other}." for other in others)
    public = [one for one in symbols if one["isExported"] and not one["name"].startswith(hidden)]
    unknown = [one for one in public if not one["isTypeKnown"]]
    for one in unknown:
        print(one["name"], *(f"  {diagnostic['message']}" for diagnostic in one["diagnostics"]), sep="\n")
    print(f"{module}: {len(public)} public names, {len(unknown)} of unknown type")
    return 1 if unknown or not public else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
