# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The page of the workbench, a marimo app: what is clicked and typed goes to functions of tabs."""

import marimo

app = marimo.App(width="full", app_title="nodewright workbench", css_file="page.css")

with app.setup:
    from functools import partial
    from typing import Any

    import marimo as mo

    from nodewright.workbench import certificates, derivations, parts, permutation_tab, programs
    from nodewright.workbench.jobs import Worker

    AT_ONCE = 0.6
    """Seconds that the page waits for a task before it shows how far it is."""
    CHOSEN = programs.CHOSEN
    TABS = ("derive", "permutations", "programs", "certificate")
    DERIVE, PERMUTATIONS, PROGRAMS, CERTIFICATE = TABS

    def values(elements):
        """Return what is typed and chosen, by name."""
        return {name: element.value for name, element in elements.items()}


@app.cell
def _():
    tab = mo.ui.tabs(dict.fromkeys(TABS, ""))
    mo.Html(parts.stack(parts.HEAD, tab))
    return (tab,)


@app.cell
def _():
    workers = {name: Worker() for name in (DERIVE, PROGRAMS, CERTIFICATE)}
    _none: Any = {}
    get_tasks, set_tasks = mo.state(_none)
    get_seen, set_seen = mo.state(_none)
    get_ended, set_ended = mo.state(_none)
    get_program, set_program = mo.state(_none)
    get_certificate, set_certificate = mo.state(_none)

    def ask(name, *call, tells=False):
        set_tasks({**get_tasks(), name: workers[name].ask(*call, tells=tells)})

    def derived(value):
        if isinstance(value, derivations.Ended):
            set_ended(value)
            return
        if not get_seen() or get_seen().draft != value.draft:
            set_ended(None)
        set_seen(value)

    took = {DERIVE: derived, PROGRAMS: set_program, CERTIFICATE: set_certificate}
    ask(DERIVE, derivations.done, derivations.begun, "F(r*s)")
    _first = {"system": "fft", "size": "64", "ranks": "4", "input": "cyclic", "output": "cyclic"}
    ask(PROGRAMS, programs.shown, _first)
    return ask, get_certificate, get_ended, get_program, get_seen, get_tasks, took, workers


@app.cell
def _(get_tasks, workers):
    get_tasks()
    clock = mo.ui.refresh(default_interval="1s")

    def _stop(worker):
        return mo.ui.button(label="stop", kind="danger", on_change=lambda _: worker.stop())

    stops = mo.ui.dictionary({name: _stop(worker) for name, worker in workers.items()})
    return clock, stops


@app.cell
def _(clock, get_tasks, stops, took):
    clock.value
    under_way, problems = {}, {}
    for _name, _task in get_tasks().items():
        if not _task.wait(AT_ONCE).done:
            _words = f"{_task.told or 'working'}: {_task.seconds:.0f} s"
            _line = f'<span role="status">{_words}</span>', stops[_name]
            under_way[_name] = parts.row(*_line, f'<span class="clock">{clock}</span>')
        elif not _task.taken and not _task.problem:
            _task.taken = True
            took[_name](_task.value)
        problems[_name] = parts.wrong(_task.problem)
    return problems, under_way


@app.cell
def _():
    def _text(label, value="", placeholder=""):
        return mo.ui.text(value=value, label=label, placeholder=placeholder, full_width=True)

    _choice = partial(mo.ui.dropdown, full_width=True)
    system = _choice(programs.SYSTEMS, value="fft", label="system")
    # Elements in a dictionary run no cell anew at each word: the button that is next stays there.
    start = {"start": _text("formula", "F(r*s)"), "where": _text("where", "", "r >= 2, s >= 2")}
    start["name"] = _text("name of its files", "", "derivation")
    step = {"words": _text("another step", "", "<-commute at 1-3 with m=r")}
    lemma = {
        "name": _text("name", "", "halves"),
        "equation": _text("equation", "", "L(2*n,2) * L(2*n,n) = I(2*n)"),
        "where": _text("where", "", "n >= 2"),
    }
    permutation = {
        "name": _choice(permutation_tab.NAMES, value="bit-reversal", label="permutation"),
        "bits": _text("bits of an index", "4"),
    }
    asked = {
        "system": system,
        "size": _text("size N", "64"),
        "ranks": _text("ranks P", "4"),
        "input": _text("input", "cyclic", "block"),
        "output": _text("output", "cyclic", "block"),
        "name": _text("permutation", "bit-reversal"),
        "formula": _text("equation", programs.EXAMPLE),
        "values": _text("values of its symbols", "r=8, s=8"),
        **{one.name: _choice(one.known, value=one.default, label=one.name) for one in CHOSEN},
    }
    file = mo.ui.file(filetypes=[".py"], label="another program")
    script = mo.ui.file(filetypes=[derivations.ENDING], label="a file")
    return asked, file, lemma, permutation, script, start, step, system


@app.cell
def _(ask, get_seen, lemma, script, start, step):
    seen = get_seen()
    _draft = seen.draft if seen else None

    def _change(*given, **named):
        ask(DERIVE, partial(derivations.done, **named), *given)

    def _apply(words):
        _change(derivations.moved, _draft, f"apply {words}")

    def _state(**named):
        _change(derivations.stated, _draft, **values(lemma), **named)

    def _button(label, act, kind="neutral"):
        return mo.ui.button(label=label, kind=kind, on_change=lambda _: act())

    begin = _button("begin", lambda: _change(derivations.begun, **values(start)))
    open_ = _button("open", lambda: _change(derivations.opened, script.contents(), script.name()))
    apply = _button("apply", lambda: _apply(**values(step)))
    prove = _button("prove", _state)
    assume = _button("assume", lambda: _state(assumed=True))
    undo = _button("undo", lambda: _change(derivations.undone, _draft))
    end = _button("end", lambda: ask(DERIVE, derivations.ended, _draft), "success")
    places = mo.ui.array(
        [
            _button(words, lambda place=place: ask(DERIVE, derivations.seen, _draft, place))
            for words, place in (seen.ways if seen else ())
        ]
    )
    uses = mo.ui.array(
        [
            _button(parts.label(words), lambda words=words: _apply(words))
            for words, _ in (seen.shown.uses if seen else ())
        ]
    )
    return apply, assume, begin, end, open_, places, prove, seen, undo, uses


@app.cell
def _(get_ended):
    _ended = get_ended()
    _files = [
        mo.download(text.encode(), filename=f"{_ended.name}.{suffix}", label=kind)
        for kind, (suffix, text) in (_ended.documents.items() if _ended else ())
    ]
    document = _ended.page(_files) if _ended else ""
    return (document,)


@app.cell
def _(
    apply, assume, begin, document, end, lemma, open_, places, problems, prove, script, seen, start,
    step, tab, under_way, undo, uses,
):  # fmt: skip
    mo.stop(tab.value != DERIVE)
    _next = ""
    if seen and DERIVE not in under_way:
        _own = parts.stack(parts.form(*lemma.values()), parts.row(prove, assume))
        _next = parts.stack(
            seen.rules(places, uses),
            parts.form(*step.values(), apply),
            parts.folded("a lemma of your own", _own),
            parts.row(undo, end),
        )
    mo.Html(
        parts.stack(
            parts.form(*start.values(), begin),
            parts.folded("a derivation from a file", parts.row(script, open_)),
            problems.get(DERIVE, ""),
            seen.steps if seen else "",
            document,
            under_way.get(DERIVE, _next),
        )
    )
    return


@app.cell
def _():
    get_matrix, set_matrix = mo.state(
        permutation_tab.named("bit-reversal", "4"), allow_self_loops=True
    )
    get_p, set_p = mo.state(2)
    get_refused, set_refused = mo.state("")
    return get_matrix, get_p, get_refused, set_matrix, set_p, set_refused


@app.cell
def _(get_matrix, get_p, permutation, set_matrix, set_p, set_refused):
    matrix = get_matrix()
    _n = matrix.bits if matrix.bits <= permutation_tab.MOST_CLICKED else 0

    def _take(_):
        try:
            set_matrix(permutation_tab.named(**values(permutation)))
            set_refused("")
        except ValueError as error:
            set_refused(str(error))

    def _bit(column, i, j):
        kind, new = (
            "success" if column >> i & 1 else "neutral",
            permutation_tab.flipped(matrix, i, j),
        )
        return mo.ui.button(
            label=str(column >> i & 1), kind=kind, on_change=lambda _: set_matrix(new)
        )

    take = mo.ui.button(label="take it", on_change=_take)
    _p = {"value": min(get_p(), matrix.bits), "show_value": True, "on_change": set_p}
    rank_bits = mo.ui.slider(0, matrix.bits, label="bits of a rank", **_p)
    entries = mo.ui.array([_bit(matrix.columns[j], i, j) for i in range(_n) for j in range(_n)])
    shift = mo.ui.array([_bit(matrix.c, i, _n) for i in range(_n)])
    return entries, matrix, rank_bits, shift, take


@app.cell
def _(entries, get_refused, matrix, permutation, rank_bits, shift, tab, take):
    mo.stop(tab.value != PERMUTATIONS)
    mo.Html(
        parts.stack(
            parts.form(*permutation.values(), take),
            parts.wrong(get_refused()),
            parts.words("Element x goes to A x + c. Click a bit of A or of c; bit 0 comes first."),
            permutation_tab.clickable(matrix, entries, shift),
            rank_bits,
            permutation_tab.page(matrix, rank_bits.value),
        )
    )
    return


@app.cell
def _(ask, asked):
    def _show(_):
        ask(PROGRAMS, programs.shown, values(asked))

    show = mo.ui.button(label="show", kind="success", on_change=_show)
    return (show,)


@app.cell
def _(get_program):
    program = get_program()
    superstep = mo.ui.slider(
        0, len(program.steps) - 1 if program else 1, label="superstep", full_width=True
    )
    program_file = (
        mo.download(program.text.encode(), filename=program.name, label="the program")
        if program
        else ""
    )
    return program, program_file, superstep


@app.cell
def _(asked, problems, program, program_file, show, superstep, system, tab, under_way):
    mo.stop(tab.value != PROGRAMS)
    _fields = [
        each for key, each in asked.items() if programs.ONLY.get(key, system.value) == system.value
    ]
    _page = (
        parts.stack(programs.page(program, superstep.value, superstep), program_file)
        if program
        else ""
    )
    mo.Html(
        parts.stack(
            parts.form(*_fields[:5]),
            parts.form(*_fields[5:], show),
            problems.get(PROGRAMS, ""),
            under_way.get(PROGRAMS, _page),
        )
    )
    return


@app.cell
def _(ask, file, program):
    text_name = file.name() or (program.name if program else "")

    def _certify(_):
        text = file.contents() if file.name() else program.text.encode()
        call = certificates.certified, text_name, text.decode("utf-8", "replace")
        ask(CERTIFICATE, *call, tells=True)

    certify = mo.ui.button(
        label="certify", kind="success", disabled=not text_name, on_change=_certify
    )
    return certify, text_name


@app.cell
def _(get_certificate):
    _found = get_certificate()
    certificate = ""
    if _found:
        _saved = mo.download(_found.text.encode(), filename=_found.file, label="the certificate")
        certificate = parts.stack(_found.page, _saved)
    return (certificate,)


@app.cell
def _(certificate, certify, file, problems, tab, text_name, under_way):
    mo.stop(tab.value != CERTIFICATE)
    mo.Html(
        parts.stack(
            parts.words(f"The program {text_name}, which the tab programs shows, or another one:"),
            parts.row(certify, file),
            problems.get(CERTIFICATE, ""),
            under_way.get(CERTIFICATE, certificate),
        )
    )
    return


if __name__ == "__main__":
    app.run()
