"""The contract of a backend: linear programs, integer programs, interrupts, honest bounds."""
