#!/usr/bin/env bash
# Prints the path of a Chromium for the browser tests: one on the machine, else the system
# package manager's where that is allowed, else Playwright's own.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}

find_browser() {
    for name in "${ODT_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name" >/dev/null; then
            command -v "$name"
            return
        fi
    done
    return 1
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

find_browser && exit
if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
    as_root apt-get update -qq >&2 && as_root apt-get install -y -qq chromium >&2 || true
    find_browser && exit
fi
"$venv/bin/python" -m playwright install chromium >&2
"$venv/bin/python" -c 'from playwright.sync_api import sync_playwright as p
with p() as w: print(w.chromium.executable_path)'
