"""The paper's integer program (section 4) in python-mip, solved by CBC or HiGHS.

`formulation` writes the program, one kind of row after the other, into the plain arrays of
`program`. `run` lets a solver (`backends`) solve it in another process (`process`, `child`), reads
the solver's log (`logs`) and checks its claims. `points` converts trees to points of the program,
and points to trees. `greedy` builds the start tree, one node at a time with `best_splits`.

Import from the modules: other engines only need `options`, which is quick to import.
"""
