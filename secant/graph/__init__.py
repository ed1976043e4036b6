"""Pictures of autograd's graph."""
