"""What grades: from a lesson's text to a class's gradebook."""

import sys

# jsonschema, which nbformat imports, builds this grammar of web addresses for a second if it is installed.
# No notebook needs it, and jsonschema does without.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
