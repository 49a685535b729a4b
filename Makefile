# Each target does all its own set-up; a fresh machine with Python 3.11+ and make is enough.
VENV ?= .venv
PY = $(VENV)/bin/python
PORT ?= 8501
export VENV

.PHONY: app test check soak bench clean help

help:            ## Show this list
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/'

app:             ## Install what is needed and open the dashboard on localhost
	@scripts/setup.sh requirements.txt
	$(PY) -m streamlit run app.py --server.port $(PORT)

# Tests start some two hundred processes: each would compile the sources anew if it may not keep them.
test:            ## Run every test, in a real Chromium too
	@scripts/setup.sh requirements-test.txt
	browser="$$(scripts/chromium.sh)" && postgres="$$(scripts/postgres.sh)" && \
		ODT_CHROMIUM="$$browser" ODT_POSTGRES="$$postgres" PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n 3 -m "not soak"

check:           ## Lint and type-check
	@scripts/setup.sh requirements-test.txt
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

soak:            ## The long tests
	@scripts/setup.sh requirements-test.txt
	browser="$$(scripts/chromium.sh)" && postgres="$$(scripts/postgres.sh)" && \
		ODT_CHROMIUM="$$browser" ODT_POSTGRES="$$postgres" $(PY) -m pytest -m soak
	$(PY) -m pytest -n 2 -m "not soak" --hypothesis-profile random tests/properties tests/core \
		--ignore tests/core/jobs --ignore tests/core/storage
	$(PY) -m benchmarks.load --sessions 20 --seconds 90

bench:           ## Repeat the measurements of docs/benchmarks.md (an hour, on an idle machine)
	@scripts/setup.sh requirements-test.txt
	@scripts/setup.sh requirements-bench.txt
	$(PY) -c "from odt_core.solvers.search import warm_up; warm_up()"
	$(PY) -m benchmarks.search_figures figures
	$(PY) -m benchmarks.search_figures sets --threads 2
	$(PY) -m benchmarks.search_figures sets --threads 2 --rows 0.9
	$(PY) -m benchmarks.search_figures frontier
	$(PY) -m benchmarks.search_peers
	$(PY) -m benchmarks.search_peers --pairs
	$(PY) -m benchmarks.search_scale
	$(PY) -m benchmarks.search_growth --limit 10
	$(PY) -m benchmarks.hybrid
	$(PY) -m benchmarks.curve_bc
	for table in branching numerical cart size chosen heloc shapes; do \
		$(PY) -m benchmarks.paper $$table || exit 1; done
	$(PY) -m benchmarks.paper switches --rows 50 --topology depth-2 --splits 1
	$(PY) -m benchmarks.peers --limit 30
	$(PY) -m benchmarks.every_cut
	$(PY) -m benchmarks.storage
	ODT_CHROMIUM="$$(scripts/chromium.sh)" $(PY) -m benchmarks.load

clean:           ## Remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache
