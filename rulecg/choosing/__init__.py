"""Choosing inside a fit how complex rules may be, in which logic and by which labels; what to expect on new rows."""
