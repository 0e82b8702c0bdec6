"""The environments of the other clients: what can be installed, and why not what cannot."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Another one may come first on PATH, and lack venv.
PYTHON = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable


class Environment:
    """A virtual environment with requirements.txt, and beside it a directory with connector_requirements.txt, which takes
    precedence for the connector alone."""

    def __init__(self, directory):
        self.python = directory / "bin" / "python"
        self.connector = directory / "connector"
        self.problem = self._install(directory, "requirements.txt", self._fresh)
        self.connector_problem = self.problem or self._install(directory, "connector_requirements.txt", self._beside)

    def path_of(self, client):
        """PYTHONPATH of a client."""
        return str(self.connector) if client == "connector" else ""

    def problem_of(self, client):
        """Why a client cannot be measured; empty if it can."""
        return self.connector_problem if client == "connector" else self.problem

    @staticmethod
    def _install(directory, requirements, install):
        """Nothing is installed again while the list is the same."""
        wanted, marker = (HERE / requirements).read_text(), directory / f"installed_{requirements}"
        if marker.exists() and marker.read_text() == wanted:
            return ""
        try:
            install(directory, HERE / requirements)
        except (subprocess.CalledProcessError, OSError) as failure:
            last = (getattr(failure, "stderr", "") or str(failure)).strip().splitlines()[-1]
            return f"{requirements} cannot be installed with {_version()}: {last}"
        marker.write_text(wanted)
        return ""

    def _fresh(self, directory, requirements):
        _run(PYTHON, "-m", "venv", "--clear", directory)
        self._pip("--requirement", requirements)

    def _beside(self, _, requirements):
        self._pip("--no-deps", "--upgrade", "--target", self.connector, "--requirement", requirements)

    def _pip(self, *arguments):
        _run(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments)


def _version():
    return subprocess.run([PYTHON, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def _run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
