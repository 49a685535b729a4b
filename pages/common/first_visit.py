"""A server's first visit by a deep link, which Streamlit alone would refuse.

Beside a folder called ``pages`` Streamlit looks for pages in its old way until the first
`st.navigation` of the process has run. Until then it knows no address but the root: a bookmark or
a reload after a restart of the server would end in "Page not found". The same address asked for
once more is understood.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

import streamlit as st


@st.cache_resource(show_spinner=False)
def _visits() -> Iterator[int]:
    return itertools.count()


def ask_again() -> None:
    """On the server's first visit, send a deep link once more; call it after `st.navigation`."""
    if next(_visits()):
        return
    url = st.context.url
    if url is None or urlsplit(url).path in ("", "/"):
        return
    asked = st.query_params.to_dict()
    address = f"{url}?{urlencode(asked)}" if asked else url
    # "<" is written as an escape: what comes from an address must not end the script.
    quoted = json.dumps(address).replace("<", "\\u003c")
    st.html(f"<script>location.replace({quoted})</script>", unsafe_allow_javascript=True)
    st.stop()
