"""`python -m aclsan`: the command that this wheel installed."""

import os
import sys
import sysconfig


def places():
    """Where `pip` puts commands: of this environment, of the user."""
    yield sysconfig.get_path("scripts")
    yield sysconfig.get_path("scripts", "posix_user")


def main():
    commands = [os.path.join(folder, "aclsan") for folder in places()]
    found = next((command for command in commands if os.access(command, os.X_OK)), None)
    if found is None:
        sys.exit(f"the command of this package was not found; looked at {', '.join(commands)}; reinstall it: pip install --force-reinstall aclsan")
    os.execv(found, [found, *sys.argv[1:]])


main()
