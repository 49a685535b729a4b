"""Breast cancer, Wisconsin diagnostic: measurements of cell nuclei."""

from __future__ import annotations

from odt_core.data.numeric import number_text
from odt_core.data.samples.sample import Content, Sample


def _content() -> Content:
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    names = [str(name).replace(" ", "_") for name in bunch.feature_names]
    rows = [
        (*(number_text(value) for value in values), str(bunch.target_names[label]))
        for values, label in zip(bunch.data, bunch.target, strict=True)
    ]
    return (*names, "diagnosis"), rows


BREAST_CANCER = Sample(
    key="breast-cancer",
    title="Breast cancer (Wisconsin diagnostic)",
    description="569 fine-needle aspirates of breast masses. Thirty measurements of the cell "
    "nuclei in the image: mean, standard error and worst of ten features; diagnosis malignant "
    "(212) or benign (357). Collected by W. H. Wolberg, W. N. Street and O. L. Mangasarian; comes "
    "with scikit-learn.",
    target="diagnosis",
    positive="malignant",
    content=_content,
)
