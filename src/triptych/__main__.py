"""``python -m triptych``: the command line without its script."""

import sys

from triptych.cli.main import main

sys.exit(main())
