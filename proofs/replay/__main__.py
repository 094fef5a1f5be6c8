"""`python -m proofs.replay FILE ..` replays certificates of proofs."""

import sys

from proofs.replay.certificate_steps import main

sys.exit(main(sys.argv[1:]))
