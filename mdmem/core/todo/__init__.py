"""Pure: the TODO list of a task as a program; its steps, where it stands, and every move in it as Edits (D033, D049).

A step is a checkbox of the list; its number counts from one at each level (`2`, `2.1`), which is what the instruction
pointer names. After any change exactly one open step bears the mark, and the pointer is its number.
"""
