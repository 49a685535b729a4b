"""Words: splits, leaves, rules, goals and results, as people read them."""

from __future__ import annotations

import doctest
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.confusion import Confusion
from odt_core.evaluation import Measure
from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solution import Engine, MipReport, MipRole, Prover, Seconds, Solution, Status
from odt_core.topology import Topology
from odt_core.tree import Leaf, Tree
from odt_core.words import (
    ENGINE_WORDS,
    GOAL_NAMES,
    LOSS_NAMES,
    absent_words,
    category_words,
    condition_words,
    gap_words,
    goal_words,
    leaf_conditions,
    leaf_words,
    percent_words,
    printable,
    proof_words,
    results,
    rule_words,
    rules_text,
    split_words,
    spoken_rule,
    status_words,
    text,
    unseen_words,
)
from tests.core.trees import decision, mushroom_tree, random_tree, unhurried

randoms = st.randoms(use_true_random=False)


def test_every_goal_has_its_names_and_its_rate() -> None:
    assert set(GOAL_NAMES) == set(LOSS_NAMES) == set(Goal)
    for goal in Goal:
        assert Measure.of_goal(goal).words == GOAL_NAMES[goal].partition(" (")[0]


def categorical(*values: str, name: str = "odor") -> Feature:
    return Feature(name, FeatureKind.CATEGORICAL, values)


def numerical(*cuts: float, missing: bool = False, name: str = "age") -> Feature:
    values = tuple(f"bin {b}" for b in range(len(cuts) + 1 + missing))
    return Feature(name, FeatureKind.NUMERICAL, values, cuts, missing)


def asked(feature: Feature, left: set[int], *, observed: set[int] | None = None, limit=None):
    """The words of a single question."""
    everything = set(range(feature.n_values))
    node = decision(0, left, Leaf(True, 1, 5), Leaf(False, 4, 1), observed or everything)
    return split_words(Tree(node, (feature,)), node, limit)


def test_the_examples_in_the_docstrings():
    found = [doctest.testmod(module) for module in (text, results)]
    assert sum(each.attempted for each in found) >= 8
    assert not any(each.failed for each in found)


# --- questions about dates ---


def test_a_question_about_dates_says_what_is_taken_of_them():
    born = replace(numerical(42.5, 60.0, name="born"), measure="age")
    words = asked(born, {0})
    assert (words.question, words.yes, words.no) == ("age (born) <= 42.5?", "<= 42.5", "> 42.5")
    assert condition_words(born, frozenset({1})) == "42.5 < age (born) <= 60"
    admitted = replace(numerical(2018.5, missing=True, name="admitted"), measure="year")
    assert condition_words(admitted, frozenset({1, 2})) == "year (admitted) > 2018.5 (or missing)"


# --- names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("blood pressure", "blood pressure"),
        ("two\nlines\ttab", "two lines tab"),
        ("turned \u202egnp.exe\u202c", "turned gnp.exe"),
        ("nul\x00bell\x07", "nulbell"),
        ("non\ufffecharacter", "noncharacter"),
        ("lone \ud800 half", "lone  half"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("emoji 👩\u200d⚕️ 🫀", "emoji 👩\u200d⚕️ 🫀"),
    ],
)
def test_names_are_printed_on_one_line_in_their_own_direction(name, shown):
    assert printable(name) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("almond", "almond"),
        ("(missing)", "(missing)"),
        ("a, b", '"a, b"'),
        ("a or b", '"a or b"'),
        ("a; b", '"a; b"'),
        (" a", '" a"'),
        ("", '""'),
        ("missing", '"missing"'),
        ('5" pipe', '"5" pipe"'),
        ("orchid", "orchid"),
    ],
)
def test_categories_are_quoted_where_a_list_would_misread_them(name, shown):
    assert category_words(name) == shown


@unhurried
@given(st.fractions(min_value=0, max_value=1))
def test_only_a_whole_share_is_called_0_or_100_percent(share):
    for digits in (0, 1, 2):
        for given_share in (share, float(share)):
            words = percent_words(given_share, digits)
            assert (words == "0%") == (given_share == 0)
            assert (words == "100%") == (given_share == 1)
            number = Fraction(words.strip("<>%"))
            assert abs(number - 100 * share) <= Fraction(1, 10**digits)


# --- splits ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "question", "yes", "no"),
    [
        ({0}, "odor is almond?", "almond", "anise, none, foul"),
        ({0, 1}, "odor is almond or anise?", "almond, anise", "none, foul"),
        ({0, 1, 2}, "odor is almond, anise or none?", "almond, anise, none", "foul"),
    ],
)
def test_a_set_of_categories(left, question, yes, no):
    words = asked(categorical("almond", "anise", "none", "foul"), left)
    assert (words.question, words.yes, words.no) == (question, yes, no)


def test_missing_is_a_category_like_any_other():
    words = asked(categorical("yes", "no", "(missing)", name="smokes"), {0, 2})
    assert words.question == "smokes is yes or missing?"
    assert (words.yes, words.no) == ("yes, (missing)", "no")


@pytest.mark.parametrize(
    ("left", "missing", "question", "yes", "no"),
    [
        ({0}, False, "age <= 1.5?", "<= 1.5", "> 1.5"),
        ({0, 1}, False, "age <= 30?", "<= 30", "> 30"),
        ({2}, False, "age > 30?", "> 30", "<= 30"),
        ({1}, False, "age > 1.5 and <= 30?", "> 1.5 and <= 30", None),
        ({0, 3}, True, "age <= 1.5 or missing?", "<= 1.5 or missing", "> 1.5"),
        ({0}, True, "age <= 1.5?", "<= 1.5", "> 1.5 or missing"),
        ({3}, True, "age is missing?", "is missing", "is not missing"),
        ({0, 1, 2}, True, "age is not missing?", "is not missing", "is missing"),
    ],
)
def test_a_threshold(left, missing, question, yes, no):
    feature = numerical(1.5, 30.0, missing=missing)
    if no is None:  # the rest is two intervals, which no threshold leaves
        with pytest.raises(ValueError, match="not neighbours"):
            asked(feature, left)
        return
    words = asked(feature, left)
    assert (words.question, words.yes, words.no) == (question, yes, no)


def test_long_lists_are_shortened_and_counted():
    feature = categorical(*"abcdefghijkl")
    words = asked(feature, {0, 2, 4, 6}, limit=3)
    assert words.question == "odor is one of a, c, e, ... (4 of 12)?"
    assert words.yes == "a, c, e, ... (4 of 12)"
    assert words.no == "b, d, f, ... (8 of 12)"
    assert asked(feature, {0, 2, 4}, limit=3).yes == "a, c, e"
    assert asked(feature, {0, 2, 4, 6}).no == "b, d, f, h, i, j, k, l"


def test_a_shortened_list_of_long_names_has_fewer_of_them():
    names = [f"{letter} {'x' * 40}" for letter in "abcdefgh"]
    feature = categorical(*names, "i", "j", "k", "l")
    assert asked(feature, {0, 1, 2, 3}, limit=3).yes == f"{names[0]}, ... (4 of 12)"
    assert asked(feature, {0, 8, 9, 10}, limit=3).yes == f"{names[0]}, i, j, ... (4 of 12)"


@pytest.mark.parametrize(
    ("limit", "no"),
    [(None, "c, d; not seen here: e, f"), (3, "c, d; 2 not seen here")],
)
def test_values_that_no_row_had_at_the_node_are_marked(limit, no):
    words = asked(categorical(*"abcdef"), {0, 1}, observed={0, 1, 2, 3}, limit=limit)
    assert (words.yes, words.no) == ("a, b", no)


def test_one_value_not_seen_is_named_even_where_lists_are_short():
    words = asked(categorical(*"abcdef"), {0, 1}, observed={0, 1, 2, 3, 4}, limit=3)
    assert words.no == "c, d, e; not seen here: f"


def test_a_missing_bin_that_no_row_had_at_the_node_is_marked():
    words = asked(numerical(1.5, missing=True), {0}, observed={0, 1})
    assert words.no == "> 1.5; not seen here: missing"


def test_unseen_values_take_the_branch_of_most_rows():
    tree = mushroom_tree()
    assert split_words(tree, tree.root).unseen == "yes"
    assert unseen_words(tree) == (
        "A value that no training row had takes the branch of most training rows: yes to "
        "question 1 (a new value of odor). No training row supports these answers, as none had "
        "the value at the question: no to question 1 (odor = spicy)."
    )
    assert absent_words(tree, tree.root) == (
        "No training row had odor = spicy here; the answer is no."
    )
    assert absent_words(tree, tree.root.left) == ""
    known = Tree(
        decision(0, {0}, Leaf(True, 0, 1), Leaf(False, 5, 0), {0, 1}, unseen_left=False),
        (numerical(1.5),),
    )
    assert "no to question 1 (a missing value of age)" in unseen_words(known)
    assert unseen_words(Tree(Leaf(True, 0, 1), ())) == ""


# --- leaves and rules -----------------------------------------------------------------------


def test_a_leaf_and_its_rule():
    tree = mushroom_tree()
    assert leaf_words(tree, tree.leaves[0]) == "edible (95 of 97 training rows are edible)"
    assert [rule_words(tree, leaf) for leaf in range(3)] == [
        "odor is almond, anise or none AND cap size <= 2.5 (or missing)",
        "odor is almond, anise or none AND cap size > 2.5",
        "odor is none of almond, anise, none",
    ]
    assert rule_words(Tree(Leaf(True, 0, 1), ()), 0) == "every row"
    text = rules_text(tree).splitlines()
    assert text[0] == "Predict class; the positive class is edible."
    assert text[3].startswith("3. poisonous (0 of 80 training rows are edible): odor is none of")
    assert text[4] == unseen_words(tree)


def test_several_questions_about_a_feature_become_one_condition():
    age, odor = numerical(1.0, 2.0, 3.0, missing=True), categorical(*"abcdefg")
    leaf = Leaf(True, 0, 1)
    low = decision(0, {0, 4}, leaf, leaf, {0, 1, 2, 4})
    between = decision(0, {0, 1, 2, 4}, low, leaf, {0, 1, 2, 3, 4})
    sets = decision(1, {0, 1, 2}, decision(1, {1, 2, 3}, leaf, leaf, {0, 1, 2}), leaf, {0, 1, 2, 3})
    tree = Tree(decision(0, {0, 1, 2, 3}, between, sets, {0, 1, 2, 3, 4}), (age, odor))
    assert [rule_words(tree, index) for index in range(6)] == [
        "age <= 1",
        "1 < age <= 3",
        "age > 3",
        "age is missing AND odor is b or c",
        "age is missing AND odor is a",
        "age is missing AND odor is none of a, b, c",
    ]


def test_a_spoken_rule_has_no_signs():
    age, odor = numerical(1.0, 2.0, 3.0, missing=True), categorical(*"abc")
    leaf = Leaf(True, 0, 1)
    low = decision(0, {0, 4}, leaf, leaf, {0, 1, 2, 4})
    between = decision(0, {0, 1, 2, 4}, low, leaf, {0, 1, 2, 3, 4})
    tree = Tree(
        decision(1, {0}, between, decision(0, {4}, leaf, leaf, {0, 4}), {0, 1}), (age, odor)
    )
    assert [spoken_rule(tree, index) for index in range(5)] == [
        "if odor is a and age is at most 1 (or missing)",
        "if odor is a and age is above 1 and at most 3",
        "if odor is a and age is above 3",
        "if odor is not a and age is missing",
        "if odor is not a and age is not missing",
    ]
    assert spoken_rule(Tree(leaf, ()), 0) == "for every row"


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        (set(), "odor is none of its values"),
        ({0}, "odor is a"),
        ({0, 1, 2, 3}, "odor is neither e nor f"),
        ({0, 1, 2, 3, 4}, "odor is not f"),
        (set(range(6)), "odor is any value"),
    ],
)
def test_a_condition_names_the_shorter_side(codes, words):
    assert condition_words(categorical(*"abcdef"), frozenset(codes)) == words


def test_conditions_name_missing_values_plainly():
    feature = categorical("yes", "no", "some", "(missing)")
    assert condition_words(feature, frozenset({0, 3})) == "odor is yes or missing"
    assert condition_words(feature, frozenset({0, 1, 2})) == "odor is not missing"


@unhurried
@given(randoms)
def test_a_row_meets_the_conditions_of_its_leaf_and_of_no_other(random):
    tree, data = random_tree(random)
    for codes, leaf in zip(data.codes, tree.apply(data.codes), strict=True):
        met = [
            index
            for index in range(tree.n_leaves)
            if all(int(codes[c.feature]) in c.codes for c in leaf_conditions(tree, index))
        ]
        assert met == [leaf]


@unhurried
@given(randoms)
def test_every_tree_has_words_on_single_lines(random):
    tree, _ = random_tree(random)
    for node in tree.decisions:
        for limit in (None, 3, 0):
            words = split_words(tree, node, limit)
            assert "\n" not in "".join([words.question, words.yes, words.no])
    assert len(rules_text(tree).splitlines()) in (tree.n_leaves + 1, tree.n_leaves + 2)


# --- goals and results ----------------------------------------------------------------------

HALF = Fraction(1, 2)


def problem_of(objective: Objective) -> Problem:
    data = EncodedData(
        np.zeros((1000, 1), dtype=np.int32),
        np.arange(1000) < 300,
        np.ones(1000, dtype=np.int64),
        (categorical("a", "b"),),
        "state",
        "ill",
        "well",
    )
    return Problem(data, Topology.parse("depth-1"), objective)


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (Objective(), "highest accuracy"),
        (
            Objective(class_weight=HALF),
            "highest accuracy, a correct row of well counting 0.5 times",
        ),
        (Objective(Goal.BALANCED), "highest balanced accuracy"),
        (
            Objective(Goal.MAX_TNR, min_tpr=Fraction(995, 1000)),
            "highest specificity (TNR) with sensitivity (TPR) at least 99.5%",
        ),
        (
            Objective(min_tpr=HALF, min_tnr=HALF),
            "highest accuracy with sensitivity (TPR) at least 50% and specificity (TNR) at least "
            "50%",
        ),
    ],
)
def test_goals(objective, words):
    assert goal_words(objective, "well") == words


@pytest.mark.parametrize(
    ("objective", "gap", "words"),
    [
        (Objective(), 1, "a better tree gets at most 1 more row right"),
        (Objective(), 3, "a better tree gets at most 3 more rows right"),
        (
            Objective(class_weight=HALF),
            3,
            "a better tree gets at most 1.5 more weighted rows right (a row of well counts 0.5 "
            "times)",
        ),
        # 300 and 700 rows: a unit is 1/4200, so 10 are 0.2381 points, and a bound rounds up.
        (
            Objective(Goal.BALANCED),
            10,
            "a better tree has at most 0.24 percentage points more balanced accuracy",
        ),
        (
            Objective(Goal.MAX_TPR, min_tnr=HALF),
            2,
            "a better tree gets at most 2 more rows of ill right",
        ),
        (
            Objective(Goal.MAX_TNR, min_tpr=HALF),
            1,
            "a better tree gets at most 1 more row of well right",
        ),
    ],
)
def test_the_gap_is_in_the_goals_unit(objective, gap, words):
    assert gap_words(problem_of(objective), gap) == words


def solution_of(status: Status, *, tree: bool = True, **more) -> Solution:
    settings = {
        "status": status,
        "engine": Engine.HYBRID,
        "tree": Tree(Leaf(True, 1, 2), ()) if tree else None,
        "assignment": None,
        "confusion": Confusion(2, 1, 0, 0) if tree else None,
        "total": 2 if tree else None,
        "bound": 5,
        "value": None,
        "value_bound": None,
        "proved_by": (),
        "seconds": Seconds(60.0, search=0.3, mip=59.4),
        "mip": None,
        "trace": (),
        **more,
    }
    return Solution(**settings)


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        (solution_of(Status.OPTIMAL), "Proved optimal"),
        (
            solution_of(Status.FEASIBLE),
            "Best found in 60 s; a better tree gets at most 3 more rows right",
        ),
        (
            solution_of(Status.CANCELLED),
            "Stopped after 60 s; a better tree gets at most 3 more rows right",
        ),
        (
            solution_of(Status.FEASIBLE, bound=None),
            "Best found in 60 s; how much better a tree could be is not known",
        ),
        (
            solution_of(Status.FEASIBLE, tree=False),
            "No tree found in 60 s; whether there is one is not known",
        ),
        (
            solution_of(Status.CANCELLED, tree=False),
            "Stopped after 60 s, before a tree was found",
        ),
    ],
)
def test_status(solution, words):
    assert status_words(problem_of(Objective()), solution) == words


def test_status_of_an_impossible_problem_names_the_floors():
    floors = problem_of(Objective(min_tpr=Fraction(99, 100), min_tnr=HALF))
    impossible = solution_of(Status.INFEASIBLE, tree=False, proved_by=(Prover.SEARCH,))
    assert status_words(floors, impossible) == (
        "Proved impossible: no tree of this shape reaches sensitivity (TPR) at least 99% and "
        "specificity (TNR) at least 50% on the training rows"
    )
    assert proof_words(solution_of(Status.FEASIBLE, tree=False)) == (
        "60 s were not enough to prove whether there is such a tree."
    )
    assert proof_words(solution_of(Status.FEASIBLE)) == (
        "60 s were not enough to prove that no tree is better."
    )
    assert proof_words(impossible) == (
        "There is no such tree: the exact search proved it in 0.3 s."
    )


BEST = "No tree of this shape does better on the training rows"


@pytest.mark.parametrize(
    ("proved_by", "words"),
    [
        (
            (),
            f"{BEST}: this one has the best value that any tree can have.",
        ),
        ((Prover.SEARCH,), f"{BEST}: the exact search proved it in 0.3 s."),
        (
            (Prover.SEARCH, Prover.CBC),
            f"{BEST}: the exact search proved it in 0.3 s, and CBC on the integer program in 59 s.",
        ),
    ],
)
def test_proofs(proved_by, words):
    assert proof_words(solution_of(Status.OPTIMAL, proved_by=proved_by)) == words


def test_a_confirmation_says_what_cbc_was_given():
    report = MipReport(9, 9, 9, 9, "optimal", 1.0, 1.0, "CBC", MipRole.CONFIRMED)
    proved = replace(solution_of(Status.OPTIMAL, proved_by=(Prover.SEARCH, Prover.CBC)), mip=report)
    assert proof_words(proved) == (
        f"{BEST}: the exact search proved it in 0.3 s, and CBC on the integer program in 59 s. "
        "CBC confirmed this tree and its result in the paper's integer program. It took the bound "
        "from the search. Only trying every tree checks the bound too."
    )
    assert "confirmed" not in proof_words(replace(proved, tree=None))  # there was no value


def test_where_sums_are_too_large_for_a_solver_it_is_not_for_want_of_time():
    report = MipReport(9, 9, 9, 9, "too large to count", 1.0, 1.0, "CBC", is_blurred=True)
    blurred = replace(
        solution_of(Status.FEASIBLE, proved_by=()), mip=report, remark="Too large for CBC."
    )
    assert proof_words(blurred) == "Too large for CBC."


def test_every_engine_is_explained_in_one_sentence():
    assert set(ENGINE_WORDS) == set(Engine)
    assert all(words.endswith(".") and words.count(". ") == 0 for words in ENGINE_WORDS.values())


def test_words_do_not_depend_on_labels_being_printable():
    tree = replace(mushroom_tree(), positive_label="edi\nble")
    assert leaf_words(tree, tree.leaves[2]) == "poisonous (0 of 80 training rows are edi ble)"
