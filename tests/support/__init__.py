"""What several test files share: a toy game, and digests of whole trajectories."""
