"""Calls between kernels that are compiled apart.

numba compiles everything that a function calls into it, again and again up the call tree, which
made the first use cost minutes. The large kernels are therefore called by their address:
each is compiled once for each number type, and its address travels with the working memory.
"""

from __future__ import annotations

from typing import Any

import numba as nb
from numba import types
from numba.core.typing import signature
from numba.extending import intrinsic

jit = nb.njit(nogil=True, cache=True, error_model="numpy")

_plain: dict[str, Any] = {"nogil": True, "cache": True, "error_model": "numpy", "_nrt": False}
_inner: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

called = nb.njit(**_plain)
"""For kernels that allocate nothing: numba then leaves out counting references, which it would do
with a locked instruction for every array of every call (two fifths of the time)."""

lean = nb.njit(**_plain, **_inner)
"""The same for kernels that only other kernels call, which saves compiling a way in from Python."""

lean_sum = nb.njit(fastmath={"reassoc", "nsz", "nnan"}, **_plain, **_inner)
"""The same where sums may be reordered: those of whole numbers are exact in any order."""


def _as_compiled(given: Any, number: Any) -> Any:
    """The type a callee was compiled for: whole numbers and table numbers have one size each."""
    if isinstance(given, types.Integer):
        return types.int64
    return number if isinstance(given, types.Float) else given


def _call_by_address(returns: Any) -> Any:
    @intrinsic
    def call(typingctx, address, args):  # type: ignore[no-untyped-def]
        number = args.types[3].dtype
        parts = tuple(_as_compiled(t, number) for t in args.types)
        result = returns(parts)

        def codegen(context, builder, sig, values):  # type: ignore[no-untyped-def]
            from numba.core import cgutils

            pointer_type = context.call_conv.get_function_type(result, parts).as_pointer()
            pointer = builder.inttoptr(values[0], pointer_type)
            unpacked = [
                context.cast(builder, value, given, wanted)
                for value, given, wanted in zip(
                    cgutils.unpack_tuple(builder, values[1]), args.types, parts, strict=True
                )
            ]
            status, out = context.call_conv.call_function(builder, pointer, result, parts, unpacked)
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return out

        return signature(result, types.int64, args), codegen

    return call


call_for_nothing = _call_by_address(lambda parts: types.none)
"""``call_for_nothing(address, (arguments...))``: call a compiled function without a result.

The fourth argument must be an array of table numbers.
"""


def _dtype_of_columns(parts: tuple) -> Any:
    return parts[3].dtype


call_for_number = _call_by_address(_dtype_of_columns)
"""The same for a function whose result has the type of its fourth argument's entries."""


def _take_number(typingctx, counter):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, values):  # type: ignore[no-untyped-def]
        from numba.core import cgutils

        array = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=values[0])
        one = context.get_constant(types.int64, 1)
        return builder.atomic_rmw("add", array.data, one, "monotonic")

    return types.int64(counter), codegen


take_number: Any = intrinsic(_take_number)
"""``take_number(counter)``: what an int64[1] holds. It is one more afterwards, whichever threads do
this at once."""


def _count_common(typingctx, x, y, before):  # type: ignore[no-untyped-def]
    def codegen(context, builder, sig, values):  # type: ignore[no-untyped-def]
        return builder.add(values[2], builder.ctpop(builder.and_(values[0], values[1])))

    return types.int32(types.int32, types.int32, types.int32), codegen


count_common: Any = intrinsic(_count_common)
"""``count_common(x, y, before)``: how many bits x and y have in common, added to `before`. All are
int32, which numba's own sums would not stay."""


def address_of(function: Any, arguments: tuple) -> int:
    """Compile a function for the given arguments (or load it) and return its address."""
    from numba import typeof

    types_ = tuple(
        types.int64 if isinstance(argument, int) else typeof(argument) for argument in arguments
    )
    function.compile(types_)
    compiled = function.overloads[types_]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
