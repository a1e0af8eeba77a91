"""Words that everyone shares: grid, frame, parameters, commands, errors. Imports numpy and nothing else."""
