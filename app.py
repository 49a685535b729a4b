"""The dashboard's entry: the pages, in the order of the work."""

from pathlib import Path

import streamlit as st

from pages.common.banner import draw_banner
from pages.common.places import Place
from pages.common.state import work

ICON = Path(__file__).parent / "pages" / "common" / "icon.svg"

st.set_page_config(page_title="Optimal decision trees", page_icon=str(ICON), layout="wide")
st.logo(str(ICON), size="large")

page = st.navigation(
    [
        st.Page(
            Place.DATA,
            title="Data",
            url_path="data",
            default=True,
            help="Upload a table, say what is to be predicted and how each column is read.",
        ),
        st.Page(
            Place.TRAIN,
            title="Train",
            url_path="train",
            help="Choose the tree's shape and goal, and find the best tree of that shape.",
        ),
        st.Page(
            Place.SENSITIVITY,
            title="Sensitivity",
            url_path="sensitivity",
            help="Every trade-off between sensitivity and specificity, each with its best tree.",
        ),
    ],
    position="top",
)

banner = st.empty()
before = work()
with banner:
    draw_banner(before)
page.run()
if work() is not before:  # the page changed what is current
    with banner:
        draw_banner(work())
