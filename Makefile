PYTHON ?= python3

.PHONY: run test check

run:
	@$(PYTHON) run.py up

test:
	@$(PYTHON) run.py test $(ARGS)

check:
	@$(PYTHON) run.py check
