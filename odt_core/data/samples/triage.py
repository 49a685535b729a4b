"""A simulated emergency department: who needs critical care? No real patients."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odt_core.data.samples.sample import Content, Sample

_N_ROWS = 1500
_SEED = 20_240

_COMPLAINTS = {
    # complaint: (share, shift of the hidden severity)
    "abdominal pain": (0.18, 0.0),
    "chest pain": (0.16, 0.5),
    "shortness of breath": (0.13, 0.9),
    "fever": (0.12, 0.3),
    "headache": (0.09, -0.1),
    "limb injury": (0.19, -1.1),
    "dizziness": (0.08, 0.1),
    "altered mental state": (0.05, 1.5),
}
_COMORBIDITY = {
    "none": -0.2,
    "diabetes": 0.2,
    "heart failure": 0.7,
    "COPD": 0.6,
    "immunosuppression": 0.6,
}
_COLUMNS = (
    "age",
    "sex",
    "arrival",
    "complaint",
    "comorbidity",
    "heart_rate",
    "systolic_bp",
    "respiratory_rate",
    "spo2",
    "temperature",
    "consciousness",
    "pain_score",
    "critical_care",
)

Numbers = npt.NDArray[np.float64]


def _content() -> Content:
    # RandomState's stream is frozen for good, so the sample is the same with every numpy.
    random = np.random.RandomState(_SEED)
    age = (18 + 79 * random.beta(1.5, 1.6, _N_ROWS)).round()
    complaint = random.choice(
        list(_COMPLAINTS), _N_ROWS, p=[share for share, _ in _COMPLAINTS.values()]
    )
    comorbidity = _draw_comorbidity(random, age)
    severity = (
        random.normal(0.0, 1.0, _N_ROWS)
        + 0.02 * (age - 55)
        + np.array([_COMPLAINTS[name][1] for name in complaint])
        + np.array([_COMORBIDITY[name] for name in comorbidity])
    )
    columns = {
        "age": _texts(age),
        "sex": random.choice(["female", "male"], _N_ROWS, p=[0.52, 0.48]),
        "arrival": _draw_arrival(random, severity),
        "complaint": complaint,
        "comorbidity": comorbidity,
        **_draw_vital_signs(random, severity, complaint),
        "consciousness": _draw_consciousness(random, severity, complaint),
        "pain_score": _draw_pain(random, complaint),
        "critical_care": _draw_outcome(random, severity),
    }
    _remove_some(random, columns, severity)
    return _COLUMNS, zip(*(columns[name].tolist() for name in _COLUMNS), strict=True)


def _texts(numbers: Numbers, digits: int = 0) -> npt.NDArray[np.str_]:
    return np.array([f"{number:.{digits}f}" for number in numbers], dtype="<U24")


def _draw_comorbidity(random: np.random.RandomState, age: Numbers) -> npt.NDArray[np.str_]:
    """Chronic disease grows more frequent with age."""
    ill = random.uniform(size=len(age)) < np.clip((age - 25) / 90, 0.05, 0.7)
    disease = random.choice(list(_COMORBIDITY)[1:], len(age), p=[0.4, 0.22, 0.25, 0.13])
    return np.where(ill, disease, "none")


def _draw_arrival(random: np.random.RandomState, severity: Numbers) -> npt.NDArray[np.str_]:
    by_ambulance = random.uniform(size=len(severity)) < 1 / (1 + np.exp(0.9 - 1.1 * severity))
    otherwise = random.choice(["walk-in", "referral"], len(severity), p=[0.8, 0.2])
    return np.where(by_ambulance, "ambulance", otherwise)


def _draw_vital_signs(
    random: np.random.RandomState, severity: Numbers, complaint: npt.NDArray[np.str_]
) -> dict[str, npt.NDArray[np.str_]]:
    n = len(severity)
    strain = np.clip(severity, 0, None)
    breathless = complaint == "shortness of breath"
    feverish = complaint == "fever"
    heart = 80 + 11 * strain + 9 * feverish + random.normal(0, 12, n)
    pressure = 138 - 12 * strain**1.3 + random.normal(0, 16, n)
    breathing = 16 + 3 * strain + 4 * breathless + random.normal(0, 2, n)
    oxygen = 98.8 - 1.8 * strain - 2.0 * breathless - np.abs(random.normal(0, 1.3, n))
    temperature = 36.8 + 1.5 * feverish + 0.15 * strain + random.normal(0, 0.4, n)
    return {
        "heart_rate": _texts(np.clip(heart, 38, 190)),
        "systolic_bp": _texts(np.clip(pressure, 62, 225)),
        "respiratory_rate": _texts(np.clip(breathing, 8, 46)),
        "spo2": _texts(np.clip(oxygen, 70, 100)),
        "temperature": _texts(np.clip(temperature, 34.0, 41.2), 1),
    }


def _draw_consciousness(
    random: np.random.RandomState, severity: Numbers, complaint: npt.NDArray[np.str_]
) -> npt.NDArray[np.str_]:
    """The AVPU scale: alert, or responds to voice, to pain, or not at all."""
    score = severity + 2.5 * (complaint == "altered mental state")
    score = score + random.normal(0, 0.8, len(severity))
    return np.array(["alert", "voice", "pain", "unresponsive"])[
        np.searchsorted([3.0, 4.2, 5.4], score)
    ]


def _draw_pain(
    random: np.random.RandomState, complaint: npt.NDArray[np.str_]
) -> npt.NDArray[np.str_]:
    painful = np.isin(complaint, ["abdominal pain", "chest pain", "limb injury", "headache"])
    return _texts(np.clip(random.normal(2 + 3.5 * painful, 2.0), 0, 10).round())


def _draw_outcome(random: np.random.RandomState, severity: Numbers) -> npt.NDArray[np.str_]:
    risk = 1 / (1 + np.exp(3.6 - 2.4 * severity))
    return np.where(random.uniform(size=len(severity)) < risk, "yes", "no")


def _remove_some(
    random: np.random.RandomState,
    columns: dict[str, npt.NDArray[np.str_]],
    severity: Numbers,
) -> None:
    """Measurements are left out more often for patients who look well."""
    well = 1 / (1 + np.exp(1.5 * severity))
    for name, rate in (("temperature", 0.10), ("respiratory_rate", 0.12), ("spo2", 0.05)):
        columns[name][random.uniform(size=len(severity)) < rate * well] = ""
    cannot_say = np.isin(columns["consciousness"], ["pain", "unresponsive"])
    columns["pain_score"][cannot_say | (random.uniform(size=len(severity)) < 0.03)] = ""


TRIAGE = Sample(
    key="triage",
    title="Emergency triage (simulated)",
    description=f"SIMULATED, no real patients: {_N_ROWS} visits to an emergency department, made "
    "by a seeded random generator whose rules are in the source. Age, sex, arrival, complaint, "
    "comorbidity, vital signs, consciousness (AVPU) and pain at triage, some of them missing; "
    "critical_care says whether the patient needed it. For trying the product out, not for any "
    "clinical conclusion.",
    target="critical_care",
    positive="yes",
    content=_content,
    numerical=(
        "age",
        "heart_rate",
        "systolic_bp",
        "respiratory_rate",
        "spo2",
        "temperature",
        "pain_score",
    ),
)
