"""How functions are compiled and kept, the types they are compiled for, and compiled bit primitives."""

from .compiler import compiled, lowest_bit, popcount, record, summing
from .kernel import Kernel, KernelError, listening, warm_up

__all__ = ["Kernel", "KernelError", "compiled", "listening", "lowest_bit", "popcount", "record", "summing", "warm_up"]
