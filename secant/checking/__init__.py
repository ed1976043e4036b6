"""The tools of test cells: questions to the student's code, checks of the answers, and explanations."""
