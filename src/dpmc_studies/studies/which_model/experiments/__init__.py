"""The experiments of the study, a file each."""
