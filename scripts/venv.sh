# Sourced by the other scripts, from the root of the repository.
#   venv FOLDER LOCK    a virtual environment holding exactly the lock and this package, editable; kept while both are unchanged

# $PYTHON, or else the first Python of a version that is supported.
find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
        if [ -n "${PYTHON:-}" ]; then
            echo "PYTHON=$PYTHON is not a Python 3.11, 3.12 or 3.13" >&2
            return 1
        fi
    done
    echo "no Python 3.11, 3.12 or 3.13 found; install one, or name it: PYTHON=/path/to/python3.11" >&2
    return 1
}

venv() {
    local folder=$1 lock=$2 python want
    python=$(find_python) || return 1
    want=$("$python" - "$lock" <<'END'
import hashlib, os, pathlib, sys, tomllib
declared = tomllib.loads(pathlib.Path("pyproject.toml").read_text(encoding="utf-8"))
parts = [sys.version, sys.base_prefix, os.getcwd(), declared["project"], declared["build-system"]]
print(hashlib.sha256(repr(parts).encode() + pathlib.Path(sys.argv[1]).read_bytes()).hexdigest())
END
    )
    if [ "$(cat "$folder/installed" 2>/dev/null)" = "$want" ] && "$folder/bin/python" -c 'import triptych' 2>/dev/null; then
        return 0
    fi
    echo "installing $lock into $folder with $("$python" -V)"
    "$python" -m venv --clear "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$lock"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
    echo "$want" >"$folder/installed"
}
