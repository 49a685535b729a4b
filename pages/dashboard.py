"""The script of every session: the pages in the order of the work, and their frame."""

from pathlib import Path

import streamlit as st

from odt_core import MADE_BY
from pages.common.layout import draw_part, keep_words_readable
from pages.common.session import (
    Place,
    draw_messages,
    enter_page,
    finish_presses,
    forget_press,
    owner,
    sign_in_is_on,
    work,
)
from pages.common.stored import keep_settings
from pages.common.table_requests import draw_refused, load_requested_table
from pages.frame.address import draw_lost, follow_address, write_address
from pages.frame.banner import draw_banner, draw_problem
from pages.frame.browser import help_browser, read_drawings
from pages.frame.sign_in import draw_account, is_signed_in, require_sign_in

ICON = Path(__file__).parent / "common" / "icon.svg"

ABOUT = f"""Optimal decision trees, {MADE_BY}.

The integer program comes from Günlük, Kalagnanam, Li, Menickelly and Scheinberg,
*Optimal Decision Trees for Categorical Data via Integer Programming*."""

st.set_page_config(
    page_title="Optimal decision trees",
    page_icon=str(ICON),
    layout="wide",
    menu_items={"About": ABOUT},
)
st.logo(str(ICON), size="large")

page = st.navigation(
    [
        st.Page(
            place,
            title=place.name.capitalize(),
            url_path=place.name.lower(),
            default=place is Place.DATA,
            help=place.help,
        )
        for place in Place
    ],
    position="hidden" if sign_in_is_on() and not (is_signed_in() and owner()) else "top",
)

keep_words_readable()
require_sign_in()
enter_page(page.title)
follow_address()
with st.container(horizontal=True, vertical_alignment="center"):
    banner = st.empty()
    draw_account()
with banner:
    load_requested_table()
finish_presses()
before = work()
with banner:
    draw_banner(before)
draw_part(draw_problem)
with st.container():
    if page.url_path:  # the Data page, which has no path, shows this beside the uploader
        draw_refused()
draw_part(draw_lost, on_runs=page.url_path == "runs")
said = st.container()
try:
    page.run()
    forget_press()  # if a press is still stored, this page cannot act on it
    if work() is not before:  # the page changed what is current
        with banner:
            draw_banner(work())
    with said:
        draw_messages()  # after the page, which may ask to be drawn again
    read_drawings()
finally:  # also runs if a page stops early
    keep_settings(work())
    help_browser()
    write_address(on_compare=page.url_path == "compare")
