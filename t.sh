cd /tmp/w-api && timeout 580 env PYTHONPATH=$PWD /work/venv/bin/python -m pytest -q -x "$@"
