"""Group X: tricks that are not on the list, by somebody who has read the grader's source."""
