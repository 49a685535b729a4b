"""The dashboard's entry: the pages, in the order of the work."""

import streamlit as st

st.set_page_config(page_title="Optimal decision trees", page_icon="pages/common/icon.svg", layout="wide")

PAGES = [
    st.Page("pages/build/data.py", title="Data", url_path="data", default=True),
    st.Page("pages/build/train.py", title="Train", url_path="train"),
]

st.navigation(PAGES, position="top").run()
