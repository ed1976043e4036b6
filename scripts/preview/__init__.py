"""The lessons as static pages, for a look without installing: `make preview`."""
