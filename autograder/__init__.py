"""The auto-grader, which builds lessons from their text and grades a class's submissions."""

import sys

# If rfc3987_syntax is installed, jsonschema (imported by nbformat) spends a second on building its grammar of
# web addresses. No notebook needs that grammar, and jsonschema works without it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
