"""`python -m secant.lab`."""

import sys

from secant.lab.launch import main

sys.exit(main())
