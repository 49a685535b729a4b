"""CART from a process of its own is the CART that this process fits."""

from __future__ import annotations

from fractions import Fraction

import psutil
import pytest

from odt_core.cart import fit_cart
from odt_core.cart.process import CartProcess
from odt_core.data import SAMPLES, SplitSpec, infer_schema, prepare
from odt_core.problem import EncodedData

SETTINGS = {"max_depth": 3, "class_weight": Fraction(3, 2), "seed": 5}


@pytest.fixture(scope="module")
def triage() -> EncodedData:
    """Training rows with categories, numbers and missing values."""
    table = SAMPLES["triage"].load()
    return prepare(table, infer_schema(table), SplitSpec(Fraction(4, 5))).train


def cart_processes() -> list[psutil.Process]:
    """The processes for CART that this process has started and that have not ended."""
    children = psutil.Process().children()
    running = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in running if CartProcess.__module__ in child.cmdline()]


def test_it_fits_the_same_tree_and_ends(triage: EncodedData) -> None:
    with CartProcess() as process:
        assert len(cart_processes()) == 1
        assert process.fit(triage, **SETTINGS) == fit_cart(triage, **SETTINGS)
    assert cart_processes() == []


def test_it_ends_without_a_cart_if_the_run_fails() -> None:
    with pytest.raises(KeyError), CartProcess():
        raise KeyError
    assert cart_processes() == []


def test_a_process_that_was_killed_costs_no_cart(triage: EncodedData) -> None:
    with CartProcess() as process:
        (killed,) = cart_processes()
        killed.kill()
        killed.wait()
        assert process.fit(triage, **SETTINGS) == fit_cart(triage, **SETTINGS)
