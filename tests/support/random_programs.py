"""Random small programs of the language of node programs, most of whose statements are right: each
has a type, and its errors are printed; the values of all names are printed at the end.
"""

from __future__ import annotations

import re
from functools import cache

from hypothesis import strategies as st

from tests.support.random_names import EPILOGUE, LEAVES, PARTS, PROLOGUE, words

DONE, RAISED = "- done", "- raised"
"""What a statement prints at its end."""
OF = {
    "int": """
($int $of_ints $int)
($int // $nonzero)
($int % $nonzero)
($int << $small)
($int >> $small)
($int ** $small)
$unary($int)
(~$int)
($int if $bool else $int)
len($list)
int($real)
$array.size
sum($list)
min($int, $int)
(lambda n, w=$int: n + w)($int)
sum(n * $int for n in $list)
divmod($int, $nonzero)[1]
p.add($int)
h.add($int)
Pair($int, two=$int).total($int)
scale($int, $int, plus=$int)[0]
int($array.sum().real)
""",
    "real": """
$int
($real $of_reals $real)
($real / $nonzero)
($real // $nonzero)
($real % $nonzero)
$unary($real)
float($int)
math.sqrt(abs($real))
np.floor($real)
max($real, $real)
$array.real.mean()
""",
    "number": """
$real
($number $of_reals $number)
($number / $nonzero)
abs($number)
np.conj($number)
complex($real, $real)
np.exp(1j * $small)
$array.sum()
$array.flat[0]
""",
    "bool": """
($real $order $real)
($real < $real <= $real)
($number == $number)
(not $any)
($bool and $bool)
($bool or $bool)
($int in $list)
($any is None)
isinstance($any, (int, float, np.ndarray, Base))
any($list)
hasattr($any, 'value')
bool($array.any())
""",
    "array": """
($array $of_reals $number)
($number $of_reals $array)
($array / $nonzero)
($array * $array.sum())
np.$ufunc($pair)
np.$ufunc($pair)
np.$ufunc($array, $nonzero)
np.where($array, $number, $number)
np.array($list, $dtype)
np.asarray($list)
$array.astype($dtype)
np.concatenate([$array.ravel(), $array.ravel()])
np.ravel($array)[$one]
a[$one]
e[$one]
b[$two]
d[$two]
b[$two][..., None]
(-$array.real)
np.abs($array)
np.outer($array, a)
np.arange($small, $int % 9, $nonzero)
np.zeros(($small, $small), $dtype)
($array == $number)
(d @ d.T)
""",
    "list": """
[$int, $int]
[$int for n in $list if $bool]
[n * $int for n in $list]
sorted($list, reverse=True)
list(enumerate($list, $int))[0]
tuple(map(lambda n: n * 2, $list))
(list($list) + list($list))
list($list)[$small:]
list($list) * $small
list(range($small, $int % 9))
$array.ravel().tolist()[:3]
divmod($int, $nonzero)
""",
    "text": """
($text + $text)
f'{$name} {$name!r}'
f'{i:5d}|{f:.3f}|{k:x}|{c}'
'{}, {!r}'.format($int, $text)
str($int)
repr($list)
($text * $small)
$text.upper()
', '.join([$text, $text])
""",
    "any": """
$int
$real
$number
$bool
$array
$list
$text
np.$function($array)
$array.$method
np.$function($number)
{n: $int for n in $list}
list(zip($list, $list))
list(enumerate($list, $int))
scale($number, $int, $any, plus=$real, more=$any)
getattr($any, 'value', $any)
($any if $bool else $any)
[$any, $any]
Pair($int, two=$any)
type($any).__name__
($bool and $any)
""",
}
"""Expressions by type: what a template names is drawn, and is of a smaller depth."""
SIMPLE = """
show($any)
show($int)
show($number)
show($array)
show($list)
attempt(lambda: $any)
attempt(lambda: np.$function($array))
attempt(lambda: $array.$method)
$sink = $int
$sink $of_ints= $int
f, g = $real, $real
c = $number
v = $any
w = $array
v = $array
i, *v = [$int, $any, $any]
j, k = k, $int
q[$text] = $any
a[$one] = $int
a[$one] $of_reals= $int
e[$one] = $number
e[$one] $of_reals= $number
d[$two] = $real
b[$two] = $small
np.$ufunc(e, $number, out=e)
np.add(d, $real, out=d)
np.copyto(e, $number)
l.append($int)
l = list($list)[:5]
t = tuple($list)[:5]
assert $bool or True, 'no'
show((z := $int) + z)
"""
BARE = """
show($any)
v = $any
raise ValueError($any)
show($wild[$index])
show($wild $binary $wild)
"""
"""Statements that may raise exceptions, for blocks that catch them."""
WILD = """
show($wild $binary $wild)
show($wild[$index])
$name $augmented= $wild
$wild.append($wild)
raise ValueError($any)
np.copyto($array, $wild)
assert $bool, 'no'
"""
"""Statements of which many raise an exception."""
BLOCKS = (
    """
if $bool:
    $block
else:
    $block
""",
    """
for n in tuple($list)[:2]:
    $block
    $end
else:
    show('else')
""",
    """
try:
    $bare
    $block
except $kind as error:
    print(type(error).__name__, error)
    $block
$last:
    $block
""",
    """
with context($any) as n:
    $block
    $bare
""",
    """
def local(n, w=$any):
    $block
    $bare
    return n
attempt(local, $any)
attempt(local, $any, w=$any)
""",
    """
def outer():
    n = $int
    def inner():
        nonlocal n
        n = n + $real
        return n
    inner()
    return inner(), n
attempt(outer)
""",
)
GUARDED = """
try:
    $statement
    print('DONE')
except Exception as error:
    print('RAISED', type(error).__name__, error)
""".replace("DONE", DONE).replace("RAISED", RAISED)


def lines(text):
    """Return the lines of a table."""
    return text.strip().splitlines()


def filled(template, depth, parts):
    """Return a template with a part drawn for each of its fields."""
    pieces = re.split(r"\$([a-z_]+)", template.strip())
    given = PARTS | parts
    drawn = [given[name] if name in given else of_type(name, depth) for name in pieces[1::2]]
    return st.tuples(*drawn).map(
        lambda given: "".join(a + b for a, b in zip(pieces[::2], [*given, ""], strict=True))
    )


@cache
def of_type(name, depth):
    """Return expressions of a type."""
    leaves = words(LEAVES[name])
    if not depth:
        return leaves
    return leaves | st.one_of([filled(each, depth - 1, {}) for each in lines(OF[name])])


def guarded(statement):
    """Return a statement that prints how it ends."""
    return GUARDED.strip().replace("$statement", statement.replace("\n", "\n    "))


@cache
def statements(depth):
    """Return guarded statements, with blocks of this depth."""
    simple = st.one_of([filled(each, 2, {}) for each in lines(SIMPLE)])
    wild = st.one_of([filled(each, 1, {}) for each in lines(WILD)])
    found = [simple] * 9 + [wild]
    if depth:
        inner = st.lists(statements(depth - 1), min_size=1, max_size=3).map("\n".join)
        parts = {
            "block": inner.map(lambda text: text.replace("\n", "\n    ")),
            "bare": st.one_of([filled(each, 1, {}) for each in lines(BARE)]),
        }
        found += [st.one_of([filled(each, 1, parts) for each in BLOCKS])] * 3
    return st.integers(0, len(found) - 1).flatmap(found.__getitem__).map(guarded)


PROGRAMS = st.lists(statements(2), min_size=3, max_size=8).map(
    lambda parts: PROLOGUE + "\n".join(parts) + "\n" + EPILOGUE
)
