"""The claims of the study, and their predicates."""
