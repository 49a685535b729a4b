#!/usr/bin/env bash
# Prints the folder of PostgreSQL's server programs for the storage tests: one on the machine, else
# the system package manager's where that is allowed, else nothing, and those tests are skipped.
set -euo pipefail

find_server() {
    local folder initdb config
    initdb=$(command -v initdb || true)
    config=$(command -v pg_config || true)
    for folder in "${ODT_POSTGRES:-}" "${initdb:+$(dirname "$(readlink -f "$initdb")")}" \
        "${config:+$("$config" --bindir)}" $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -Vr); do
        if [ -n "$folder" ] && [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then
            echo "$folder"
            return
        fi
    done
    return 1
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

find_server && exit
if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
    # The tests start a server of their own: the package's is not to be started.
    as_root apt-get update -qq >&2 &&
        as_root env RUNLEVEL=1 apt-get install -y -qq postgresql >&2 || true
    find_server && exit
fi
echo "No PostgreSQL server: the storage tests run on SQLite only." >&2
