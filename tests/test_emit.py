"""The emitted text: the same bytes for the same input, as long for any size, and true in what it says of itself."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
import time
from types import ModuleType

import numpy as np
import pytest
from strategies import layout_names

from codegen.cost import count
from codegen.emit import DIRECTIONS, DTYPES, KERNELS, NORMS, Options, command, emit
from codegen.lower import EXCHANGES, build
from codegen.simulate import run
from derive import bmmc, layout
from derive.bits import Affine
from derive.formula import Bmmc
from nodewright import cli, launch


def module_of(text):
    """Return the module of a program, imported but not run."""
    module = ModuleType("program")
    exec(compile(text, "program.py", "exec"), module.__dict__)
    return module


def simulated(program, options, x):
    """Return what a program's text makes of a vector on simulated ranks."""
    module = module_of(emit(program, options))
    j = np.arange(program.N)
    (s, o), (t, q) = module.input_place(j), module.output_place(j)
    local = np.empty((program.P, program.M), module.DTYPE)
    local[s, o] = x

    def body(comm):
        plan = module.plan(comm)
        mine = local[comm.rank].copy()
        y = module.transform(mine, plan)
        assert np.array_equal(mine, local[comm.rank]), "the input has changed"
        plan.free()
        return y

    return np.array(run(program.P, body).results)[t, q]


def random_vector(N, dtype):
    random = np.random.default_rng(N)
    return (random.standard_normal(N) + 1j * random.standard_normal(N)).astype(dtype)


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_choice_of_options_transforms_as_numpy_does(direction, norm, dtype, exchange):
    N, P = 64, 16
    x = random_vector(N, dtype)
    y = simulated(build("fft", N, P, "block", "cyclic", exchange), Options(direction, norm, "numpy", exchange, dtype), x)
    want = {"forward": np.fft.fft, "backward": np.fft.ifft}[direction](x.astype(complex), norm=norm)
    assert y.dtype == dtype
    assert np.linalg.norm(y - want) <= 8 * np.log2(N) * np.finfo(dtype).eps * np.linalg.norm(want)


@pytest.mark.parametrize(("N", "P"), [(2**n, 2**p) for n in range(1, 6) for p in range(n)])
def test_every_small_size_transforms_from_every_layout(N, P):
    n, p = N.bit_length() - 1, P.bit_length() - 1
    x = random_vector(N, complex)
    want = np.fft.fft(x)
    for name in layout_names(n, p):
        y = simulated(build("fft", N, P, name, layout_names(n, p)[-1]), Options(), x)
        assert np.linalg.norm(y - want) <= 8 * n * np.finfo(float).eps * np.linalg.norm(want)


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("dtype", ["complex128", "float32", "int16", "S5", "i4,f8"])
@pytest.mark.parametrize("name", ["bit-reversal", "vector-reversal", "transpose:2", "gray-code", "identity"])
def test_a_permutation_moves_elements_of_every_fixed_size(name, dtype, exchange):
    address = bmmc.named(name, 6)
    x = np.empty(64, dtype)
    x.view(np.uint8)[:] = np.random.default_rng(0).integers(0, 120, x.nbytes)
    y = simulated(build("permute", 64, 8, "block", "block", exchange, Bmmc(address, name)), Options(exchange=exchange, dtype=dtype), x)
    assert y[address(np.arange(64))].tobytes() == x.tobytes()


@pytest.mark.parametrize("options", [{}, {"exchange": "pairwise"}, {"direction": "backward", "norm": "ortho", "dtype": "complex64"}])
def test_the_same_input_gives_the_same_bytes(options):
    exchange = options.get("exchange", "alltoall")
    texts = {emit(build("fft", 256, 32, "group-cyclic:4", "f:2", exchange), Options(**options)) for _ in range(3)}
    assert len(texts) == 1


@pytest.mark.slow
def test_another_process_writes_the_same_bytes():
    call = "from codegen.emit import emit; from codegen.lower import build; print(emit(build('fft', 256, 32, 'cyclic', 'bit-reversed')), end='')"
    texts = [
        subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}).stdout for seed in "12"
    ]
    assert texts[0] == texts[1] == emit(build("fft", 256, 32, "cyclic", "bit-reversed"))


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize(("before", "after"), [("block", "block"), ("cyclic", "cyclic"), ("bit-reversed", "f:0")])
def test_a_program_for_a_million_ranks_is_as_long_and_as_quickly_made_as_a_small_one(before, after, exchange):
    lengths = []
    for N, P in ((2**10, 4), (2**40, 2**20)):
        start = time.perf_counter()
        text = emit(build("fft", N, P, before, after, exchange), Options(exchange=exchange))
        assert time.perf_counter() - start < 2
        lengths.append(text.count("\n"))
    # At 2^20 points a rank does its own transform in two steps.
    assert lengths[1] - lengths[0] in (0, 2)


def test_importing_a_program_starts_nothing(tmp_path):
    (tmp_path / "program.py").write_text(emit(build("fft", 16, 4)), encoding="utf-8")
    call = (
        "import sys, program; print('mpi4py' in sys.modules, [name for name in sys.modules if name.startswith(('derive', 'codegen', 'nodewright'))])"
    )
    done = subprocess.run([sys.executable, "-c", call], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False []\n", "")


def test_a_program_imports_the_standard_library_numpy_and_mpi4py_only():
    for text in (emit(build("fft", 16, 4)), emit(build("permute", 16, 4, permutation=Bmmc(bmmc.bit_reversal(4), "bit-reversal")))):
        imported = {
            name.partition(".")[0]
            for node in ast.walk(ast.parse(text))
            for name in (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            )
        }
        assert imported - sys.stdlib_module_names == {"numpy", "mpi4py"}


@pytest.mark.parametrize(("before", "after", "dtype"), [("block", "cyclic", "complex128"), ("f:1", "group-cyclic:2", "complex64")])
def test_a_program_has_its_constants(tmp_path, before, after, dtype):
    text = emit(build("fft", 64, 4, before, after), Options(dtype=dtype))
    module = module_of(text)
    assert (module.N, module.P, module.INPUT, module.OUTPUT, module.DTYPE) == (64, 4, before, after, np.dtype(dtype))
    assert all(callable(getattr(module, name)) for name in launch.FUNCTIONS)
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    assert launch.constants_of(tmp_path / "program.py") == {**launch.constants_of(tmp_path / "program.py"), "N": 64, "P": 4, "DTYPE": dtype}


@pytest.mark.parametrize("name", layout_names(6, 3))
def test_places_are_those_of_the_layouts_for_integers_and_for_arrays(name):
    for before, after in ((name, "block"), ("block", name)):
        program = build("fft", 64, 8, before, after)
        module = module_of(emit(program))
        for place, where in ((module.input_place, program.input), (module.output_place, program.output)):
            assert [place(j) for j in range(64)] == [where.place(j) for j in range(64)]
            for dtype in (np.int64, np.int32):
                found = place(np.arange(64, dtype=dtype).reshape(8, 8))
                assert np.array_equal(found, where.place(np.arange(64).reshape(8, 8)))
            assert place(np.int64(37)) == where.place(37)


def test_places_of_the_largest_programs_are_exact():
    module = module_of(emit(build("fft", 2**40, 2**20, "cyclic", "bit-reversed")))
    j = 2**40 - 3
    assert module.input_place(j) == (j % 2**20, j // 2**20)
    assert module.output_place(1) == (2**19, 0)
    assert [int(part[0]) for part in module.input_place(np.array([j]))] == [j % 2**20, j // 2**20]


STRANGE = 'a "quoted" \\name,\n import of\'\'\' """ 100 % {{ x }}.txt'


def test_names_of_files_are_stated_whatever_they_hold(tmp_path, monkeypatch, capsys):
    path = tmp_path / STRANGE
    path.write_text("1100\n0110\n0011\n0001\n", encoding="utf-8")
    gray = Affine(bmmc.gray_code(4).columns, 4)
    fourier, permute = (
        build("fft", 16, 4, f"bmmc:{path}", "block"),
        build("permute", 16, 4, "block", f"bmmc:{path}", permutation=Bmmc(gray, str(path))),
    )
    for program in (fourier, permute):
        text = emit(program)
        module = module_of(text)
        assert [module.INPUT, module.OUTPUT] == [program.input.name, program.output.name]
        place = module.input_place if program is fourier else module.output_place
        assert [place(j) for j in range(16)] == [divmod(j ^ j >> 1, 4) for j in range(16)]
        assert text.count("\n") == emit(build("fft", 16, 4) if program is fourier else build("permute", 16, 4, permutation=Bmmc(gray))).count("\n")
        stated = ast.get_docstring(ast.parse(text), clean=False).split("    nodewright generate ")[1].split("\n\nInput")[0]
        assert written(["nodewright", "generate", *shlex.split(stated)], monkeypatch, capsys) == text


def test_a_complement_is_in_the_text():
    where = layout.bmmc(4, 2, Affine((1, 2, 4, 8), 4, 9))
    program = build("fft", 16, 4)
    program = type(program)(program.system, program.equation, where, program.output, program.steps)
    module = module_of(emit(program))
    assert [module.input_place(j) for j in range(16)] == [divmod(j ^ 9, 4) for j in range(16)]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"direction": "sideways"}, "unknown direction 'sideways': choose from forward, backward"),
        ({"norm": "none"}, "unknown norm 'none': choose from backward, ortho, forward"),
        ({"kernels": "fortran"}, f"unknown kernels 'fortran': choose from {', '.join(KERNELS)}"),
        ({"dtype": "float64"}, "unknown dtype 'float64': choose from complex128, complex64"),
    ],
)
def test_other_options_are_refused(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        emit(build("fft", 16, 4), Options(**options))


@pytest.mark.parametrize(
    ("dtype", "complaint"), [("object", "holds objects or nothing"), ("S", "holds objects or nothing"), ("complexity", "unknown dtype 'complexity'")]
)
def test_elements_without_a_fixed_size_are_refused(dtype, complaint):
    with pytest.raises(ValueError, match=complaint):
        emit(build("permute", 16, 4, permutation=Bmmc(bmmc.bit_reversal(4), "bit-reversal")), Options(dtype=dtype))


PROGRAMS = [
    (("fft", 16, 4), {}),
    (("fft", 64, 8, "cyclic", "group-cyclic:2"), {"direction": "backward", "norm": "ortho", "dtype": "complex64"}),
    (("fft", 2**40, 2**20, "bit-reversed", "f:3", "pairwise"), {"exchange": "pairwise"}),
    (("permute", 64, 8, "block", "cyclic", "replace", Bmmc(bmmc.named("transpose:2", 6), "transpose:2")), {"exchange": "replace", "dtype": "i4,f8"}),
    (("permute", 64, 8, "block", "block", "alltoall", Bmmc(Affine(bmmc.gray_code(6).columns, 6, 5), "gray-code")), {}),
]


def written(words, monkeypatch, capsys):
    """Return what a command writes to standard output, in this process."""
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    found = capsys.readouterr()
    assert (ended.value.code, found.err) == (0, "")
    return found.out


@pytest.mark.parametrize(("arguments", "options"), PROGRAMS)
def test_the_command_that_a_program_states_writes_it_again(arguments, options, monkeypatch, capsys):
    program, chosen = build(*arguments), Options(**options)
    text = emit(program, chosen)
    stated = re.search(r"^    (nodewright generate .*)$", ast.get_docstring(ast.parse(text), clean=False), re.MULTILINE)[1]
    assert stated == command(program, chosen)
    assert written(shlex.split(stated), monkeypatch, capsys) == text


@pytest.mark.slow
def test_the_stated_command_writes_the_program_in_a_process_of_its_own():
    text = emit(build("fft", 64, 8, "cyclic", "f:1"), Options(norm="ortho"))
    words = shlex.split(re.search(r"    (nodewright generate .*)", text)[1])
    call = [sys.executable, "-c", "from nodewright.cli import main; main()", *words[1:]]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout == text


@pytest.mark.parametrize(("arguments", "options"), PROGRAMS)
def test_the_head_states_what_the_program_costs_and_where_its_data_lives(arguments, options):
    program = build(*arguments)
    head = ast.get_docstring(ast.parse(emit(program, Options(**options))), clean=False)
    cost = count(program)
    assert f"{cost.messages} messages and {cost.words} words sent by a rank in {cost.exchanges} exchanges, {cost.flops} flops" in head
    assert f"Input   {program.input.name}: " in head
    assert f"Output  {program.output.name}: " in head
    assert str(program.equation) in head
    assert f"mpiexec -n {program.P} python" in head


@pytest.mark.parametrize(("arguments", "options"), PROGRAMS)
def test_every_emitted_line_is_free_of_trailing_blanks(arguments, options):
    text = emit(build(*arguments), Options(**options))
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert "{{" not in text and "{%" not in text
