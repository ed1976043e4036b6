"""The preview (`make preview`): the lessons as static pages, for readers who have not installed Secant."""
