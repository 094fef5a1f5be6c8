"""The names of libraries that plan and transform may use: what they mean is the same on every
machine, and they change nothing for others.

All other names of these modules are not modelled: versions and the machine, the clock and the
process, registers and settings.
"""

from __future__ import annotations

from collections.abc import Mapping

NUMPY = """
    all allclose any append arange argmax argmin argsort argwhere array array_equal array_split
    asanyarray asarray ascontiguousarray asfortranarray atleast_1d atleast_2d atleast_3d average
    bincount block broadcast_arrays broadcast_shapes broadcast_to can_cast choose column_stack
    compress concatenate convolve copy copyto count_nonzero cross cumprod cumsum delete diag
    diagonal diff digitize dot dsplit dstack dtype einsum empty empty_like errstate expand_dims eye
    finfo flatnonzero flip fliplr flipud frombuffer fromiter full full_like hsplit hstack identity
    iinfo indices inner insert isclose isin iscomplexobj isrealobj issubdtype iterable ix_ kron
    lexsort linspace matmul matrix_transpose max may_share_memory mean median meshgrid
    min moveaxis ndarray ndenumerate ndim ndindex nonzero ones ones_like outer packbits pad
    partition poly polyval prod promote_types put put_along_axis ravel ravel_multi_index real imag
    angle repeat require reshape result_type roll rot90 searchsorted shape shares_memory sinc size
    sort split squeeze stack std sum swapaxes take take_along_axis tensordot tile trace transpose
    tri tril triu unique unpackbits unravel_index unwrap vander var vdot vsplit vstack where zeros
    zeros_like amax amin around round fix

    abs absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or
    bitwise_xor cbrt ceil clip conj conjugate copysign cos cosh deg2rad degrees divide divmod equal
    exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod frexp gcd greater
    greater_equal hypot invert isfinite isinf isnan lcm ldexp left_shift less less_equal log log10
    log1p log2 logical_and logical_not logical_or logical_xor maximum minimum mod modf multiply
    negative not_equal positive power rad2deg radians reciprocal remainder right_shift rint sign
    signbit sin sinh sqrt square subtract tan tanh true_divide trunc

    bool bool_ complex64 complex128 complexfloating float16 float32 float64 floating generic inexact
    int8 int16 int32 int64 integer number signedinteger uint8 uint16 uint32 uint64 unsignedinteger
    e euler_gamma inf nan newaxis pi
"""
MATH = """
    acos acosh asin asinh atan atan2 atanh ceil comb copysign cos cosh degrees dist e erf erfc exp
    expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan
    isqrt lcm ldexp lgamma log log10 log1p log2 modf nan perm pi pow prod radians remainder sin sinh
    sqrt tan tanh tau trunc
"""
CONTAINERS = """
    Callable Collection Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping
    MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
"""
LIBRARIES: Mapping[str, frozenset[str]] = {
    module: frozenset(names.split())
    for module, names in {
        "__future__": "annotations",
        "abc": "ABC abstractmethod",
        "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
        "cmath": "cos cosh e exp inf isclose log nan phase pi polar rect sin sinh sqrt tan tau",
        "collections": "ChainMap Counter OrderedDict abc defaultdict deque namedtuple",
        "collections.abc": CONTAINERS,
        "contextlib": "ExitStack closing contextmanager nullcontext suppress",
        "dataclasses": "InitVar KW_ONLY asdict astuple dataclass field replace",
        "enum": "Enum Flag IntEnum IntFlag StrEnum auto unique",
        "fractions": "Fraction",
        "functools": (
            "cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps"
        ),
        "heapq": "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest",
        "itertools": (
            "accumulate chain combinations combinations_with_replacement compress count cycle"
            " dropwhile filterfalse groupby islice pairwise permutations product repeat starmap"
            " takewhile tee zip_longest"
        ),
        "math": MATH,
        "numpy": NUMPY,
        "numpy.fft": (
            "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2"
            " irfftn rfft rfft2 rfftfreq rfftn"
        ),
        "numpy.linalg": "det inv matrix_power norm solve",
        "operator": (
            "abs add and_ concat contains countOf delitem eq floordiv ge getitem gt iadd iand"
            " ifloordiv ilshift imul index indexOf inv invert ior irshift is_ is_not isub"
            " itemgetter itruediv ixor le length_hint lshift lt matmul mod mul ne neg not_ or_"
            " pos pow rshift setitem sub truediv truth xor"
        ),
        "sys": "exit",
        "types": "MappingProxyType SimpleNamespace",
        "typing": (
            f"{CONTAINERS} Annotated Any ClassVar Dict Final FrozenSet Generic List Literal"
            " NamedTuple Never NoReturn Optional Self SupportsFloat SupportsIndex SupportsInt Tuple"
            " Type TypeAlias TypeVar TypedDict Union cast"
        ),
    }.items()
}
"""By the name of a module; `numpy.random` and what only main uses have none."""
