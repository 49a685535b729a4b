#!/usr/bin/env bash
# Makes the virtual environment and installs a requirements file into it, once per content.
#   scripts/setup.sh requirements.txt
set -euo pipefail
cd "$(dirname "$0")/.."
requirements=$1
venv=${VENV:-.venv}

python=""
for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null &&
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "Python 3.11 or newer is needed: install it, or name it with PYTHON=..." >&2
    exit 1
fi

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

make_venv() {
    # Debian and Ubuntu ship venv's pip apart from Python; without it the first try fails.
    "$python" -m venv "$venv" 2>/dev/null && return
    rm -rf "$venv"
    if command -v apt-get >/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        as_root apt-get update -qq && as_root apt-get install -y -qq "python$version-venv" >/dev/null &&
            "$python" -m venv "$venv" && return
        rm -rf "$venv"
    fi
    "$python" -m virtualenv -q "$venv" 2>/dev/null && return
    echo "A virtual environment cannot be made: install python3-venv and run this again." >&2
    exit 1
}

[ -x "$venv/bin/pip" ] || make_venv

stamp="$venv/.installed-$(basename "$requirements" .txt)"
content=$(cat requirements*.txt constraints.txt | cksum)
if [ "$(cat "$stamp" 2>/dev/null)" != "$content" ]; then
    echo "Installing $requirements (a few minutes the first time) ..." >&2
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
    echo "$content" >"$stamp"
fi
