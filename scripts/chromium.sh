#!/usr/bin/env bash
# Prints the path of a Chromium for the browser tests. Its headless shell takes half the work of a
# whole browser, so that comes first: one on the machine, else the system package manager's where
# that is allowed. Then any Chromium on the machine, the package manager's, or Playwright's own.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}

find_browser() {
    for name in "$@"; do
        if [ -n "$name" ] && command -v "$name" >/dev/null; then
            command -v "$name"
            return
        fi
    done
    return 1
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
can_install() { command -v apt-get >/dev/null && as_root true 2>/dev/null; }
# Without what the package recommends (a printer's dialogs and a hundred more), but with fonts.
install() { as_root apt-get install -y -qq --no-install-recommends "$1" fonts-liberation >&2; }

find_browser "${ODT_CHROMIUM:-}" chromium-headless-shell && exit
if can_install; then
    as_root apt-get update -qq >&2 && install chromium-headless-shell || true
    find_browser chromium-headless-shell && exit
fi
find_browser chromium chromium-browser google-chrome google-chrome-stable && exit
if can_install; then
    install chromium || true
    find_browser chromium chromium-browser && exit
fi
"$venv/bin/python" -m playwright install chromium >&2
"$venv/bin/python" -c 'from playwright.sync_api import sync_playwright as p
with p() as w: print(w.chromium.executable_path)'
