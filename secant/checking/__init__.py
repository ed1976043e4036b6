"""Tools for test cells: questions to the student's code, checks of answers, and explanations of mistakes."""
