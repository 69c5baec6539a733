"""Lines that fixes make too long are broken as those around them; the program stays the same."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.engine.fixpoint import splice
from devlint.syntax.python_tree.long_lines import laid_out, layout_edits

HANGING = "a = call(\n    1,\n)\n"
BELOW = "a = call(1,\n         2)\n"

BROKEN = [
    (
        HANGING + "x = load(a_path)\n",
        HANGING + "x = load(a_path, map_location=None if available() else 'cpu')\n",
        HANGING + "x = load(\n    a_path, map_location=None if available() else 'cpu'\n)\n",
    ),
    (
        HANGING + "if a:\n    net.load_state_dict(load(a_path))\n",
        HANGING + "if a:\n    net.load_state_dict(load(a_path, map_location='cpu if none'))\n",
        HANGING + "if a:\n    net.load_state_dict(\n        load(a_path, map_location='cpu if none')\n    )\n",
    ),
    (
        HANGING + "x = f(a, b)\n",
        HANGING + "x = f(first_of_all_arguments, second_of_all_arguments, third, fourth=5)\n",
        HANGING + "x = f(\n    first_of_all_arguments,\n    second_of_all_arguments,\n    third,\n    fourth=5,\n)\n",
    ),
    (
        HANGING + "net.load(load(a_path))\n",
        HANGING + "net.load(load(a_path, map_location=None if available() else 'cpu')[1])\n",
        HANGING + "net.load(\n    load(\n        a_path, map_location=None if available() else 'cpu'\n    )[1]\n)\n",
    ),
    (
        "net.load(load(a_path),\n         strict=True)\n",
        "net.load(load(a_path, map_location=None if bbbbb else 'cpu'),\n         strict=True)\n",
        "net.load(load(a_path,\n              map_location=None if bbbbb else 'cpu'),\n         strict=True)\n",
    ),
    (
        f"x = load({'a' * 60})\n",
        f"x = load({'a' * 60}, map_location={'b' * 60})\n",
        f"x = load(\n    {'a' * 60},\n    map_location={'b' * 60},\n)\n",
    ),
    (
        BELOW + "x = load(a_path)\n",
        BELOW + "x = load(a_path, map_location=None if available() else 'cpu')\n",
        BELOW + "x = load(a_path,\n         map_location=None if available() else 'cpu')\n",
    ),
    (
        BELOW + "net.load_state_dict(load(a_path))\n",
        BELOW + "net.load_state_dict(load(a_path, map_location=None if a else 'cpu'))\n",
        BELOW + "net.load_state_dict(load(a_path,\n                         map_location=None if a else 'cpu'))\n",
    ),
    (
        "if a:\n    if b:\n        x = torch.load('%s%s' % (args.name,\n                                  args.extension))\n",
        "if a:\n    if b:\n        x = torch.load('%s%s' % (args.name,\n                                  args.extension), "
        "map_location=None if on() else 'cpu')\n",
        "if a:\n    if b:\n        x = torch.load('%s%s' % (args.name,\n                                  args.extension),\n"
        "                       map_location=None if on() else 'cpu')\n",
    ),
    (
        "x = torch.load(\n    path(name_of_the_folder,\n         name_of_the_file + '.pt'))\n",
        "x = torch.load(\n    path(name_of_the_folder,\n         name_of_the_file + '.pt'), map_location=None if available() else 'cpu')\n",
        "x = torch.load(\n    path(name_of_the_folder,\n         name_of_the_file + '.pt'),\n"
        "    map_location=None if available() else 'cpu')\n",
    ),
    (
        "x = load(load(\n    path('a', root=the_root)), strict=True)\n",
        "x = load(load(\n    path('a', root=the_root), map_location='cpu'), strict=True)\n",
        "x = load(load(\n    path('a', root=the_root),\n    map_location='cpu'), strict=True)\n",
    ),
    (
        "x = A(B(1, 2).c(), \n      grad=True)\n",
        "x = A(B(1, 2, dtype=float64, device=device).c(1, 2), grad=1, a=2, \n      e=True)\n",
        "x = A(B(1, 2, dtype=float64, device=device).c(1, 2), grad=1,\n      a=2,\n      e=True)\n",
    ),
    (
        "t = torch.cuda.FloatTensor([1,\n                            2])\n",
        "t = torch.tensor([1,\n                            2])\n",
        "t = torch.tensor([1,\n                  2])\n",
    ),
    (
        "with autocast():\n    pass\n" + HANGING,
        "with autocast(device_type=device.type, enabled=device.type != 'cpu'):\n    pass\n" + HANGING,
        "with autocast(\n    device_type=device.type, enabled=device.type != 'cpu'\n):\n    pass\n" + HANGING,
    ),
    (
        HANGING + "x = device(1)\n",
        HANGING + "x = torch.device('cuda', rank) if torch.is_available() else torch.device('cpu')\n",
        HANGING
        + "x = (\n    torch.device('cuda', rank)\n    if torch.is_available()\n    else torch.device('cpu')\n)\n",
    ),
    (
        "def f():\n    return a\n",
        "def f():\n    return torch.autocast(device.type, on=a) if half else bcde\n",
        "def f():\n    return (\n        torch.autocast(device.type, on=a) if half else bcde\n    )\n",
    ),
    (
        "m = Sequential(1)\n",
        "m = Sequential(Linear(1, 2), Flatten(), Linear(1, 2)).to(device)\n",
        "m = Sequential(\n    Linear(1, 2), Flatten(), Linear(1, 2)\n).to(device)\n",
    ),
    (  # a piece that is too long is broken again
        HANGING + "net.load_state_dict(load(a_path), strict=False)\n",
        HANGING + f"net.load_state_dict(load({'a' * 50}, map_location=None if available() else 'cpu'), strict=False)\n",
        HANGING
        + f"net.load_state_dict(\n    load(\n        {'a' * 50},\n        map_location=None if available() else 'cpu',\n    ),\n"
        "    strict=False,\n)\n",
    ),
    (  # a row inside of a call, and one that is all of its arguments
        HANGING + "net.load(\n  load(a_path),\n  strict)\n",
        HANGING
        + f"net.load(\n  load({'a' * 30}, map_location=None if available() else 'cpu')[{'b' * 20}],\n  strict)\n",
        HANGING
        + f"net.load(\n  load(\n      {'a' * 30},\n      map_location=None if available() else 'cpu',\n  )[{'b' * 20}],\n"
        "  strict)\n",
    ),
    (
        HANGING + "x = load(\n    a_path, mmap=True\n)\n",
        HANGING + f"x = load(\n    {'a' * 50}, mmap=True, map_location=None if available() else 'cpu'\n)\n",
        HANGING + f"x = load(\n    {'a' * 50},\n    mmap=True,\n    map_location=None if available() else 'cpu',\n)\n",
    ),
    (
        HANGING + "for key, value in load(a_path).items():\n    pass\n",
        HANGING + "for key, value in load(a_path, map_location=None if available() else 'cpu').items():\n    pass\n",
        HANGING
        + "for key, value in load(\n    a_path, map_location=None if available() else 'cpu'\n).items():\n    pass\n",
    ),
    (
        "with device(number_of_a_card):\n    pass\n",
        f"with device(number_of_a_card) if {'a' * 18} else f():\n    pass\n",
        f"with (\n    device(number_of_a_card) if {'a' * 18} else f()\n):\n    pass\n",
    ),
    (
        "def f(a, b):\n    return a.cuda(), b.cuda()\n",
        f"def f(a, b):\n    return a.to({'d' * 30}), b.to({'d' * 30})\n",
        f"def f(a, b):\n    return (\n        a.to({'d' * 30}),\n        b.to({'d' * 30}),\n    )\n",
    ),
    (  # rows move before they are broken
        "x = make.cuda.HalfTensor(a,\n                         b).normal()\n",
        "x = make.empty(a,\n                         b, dtype=make.float16, device=the_device).normal()\n",
        "x = make.empty(a,\n               b, dtype=make.float16,\n               device=the_device).normal()\n",
    ),
    (  # the row below a bracket that has moved has changed, too
        "x = make.LongTensor([a],\n                    device)\n",
        "x = make.tensor([a],\n                    device, dtype)\n",
        "x = make.tensor([a],\n                device, dtype)\n",
    ),
]


@pytest.mark.parametrize(("before", "after", "wanted"), BROKEN)
def test_new_rows_are_broken(before: str, after: str, wanted: str) -> None:
    assert laid_out(before, after, 60) == wanted
    assert ast.dump(ast.parse(wanted)) == ast.dump(ast.parse(after))
    crlf = [one.replace("\n", "\r\n") for one in (before, after, wanted)]
    assert laid_out(crlf[0], crlf[1], 60) == crlf[2]
    assert splice(after, layout_edits(before, after, 60)) == wanted
    assert layout_edits(before, wanted, 60) == []


LONG = "x = load(path, map_location=None if available() else 'cpu')"
KEPT = [
    ("x = 1\n", "x = 1; some_name_of_a_thing = f(a, b, c, d); a_third = g(a, b)\n"),
    ("x = 1\n", "some_very_long_name_of_a_variable_or_module = something.to(device)\n"),
    ("x = 1\n", "x = 1\ny = 2\n"),
    (f"{LONG}\n", f"{LONG.replace('load', 'loads')}\n"),
    ("x = load(path)\n", f"{LONG}  # remark\n"),
    ("x = load(path)\n", 'x = """\n' + LONG + '"""\n'),
    ("x = 1\n", f'x = f"{{f(1, 2)}} {"a" * 60}"\n'),
    ("x = 1\n", "x = " + "a" * 70 + "\n"),
    ("x = 1\n", "x = [long_name_of_an_item for long_name_of_an_item in names_of_items]\n"),
    ("x = 1\n", "x = (\n"),
    ("x = 1\n", f"{LONG}\f\n"),
    ("x = 1\n", f"x = 1\r\n{LONG}\n"),
    ("x = 1\n", f"x = 1\r{LONG}\n"),
    (HANGING + "x = a\n", HANGING + f"x = {'a' * 30} * load({'b' * 30}, {'c' * 30}) \\\n    + 1\n"),
    (f"table['{'a' * 60}'] += x\n", f"table['{'a' * 60}'] += xxxxxxxxxxxxxxxxxxxxxxxxxx\n"),
    (
        f"with a({'b' * 40}), c if d else e:\n    pass\n",
        f"with a({'b' * 40}) as bb, c if d else ffffffffffffffffffffffffffffffff:\n    pass\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), KEPT)
def test_other_rows_stay(before: str, after: str) -> None:
    assert laid_out(before, after, 50) == after


def test_the_longest_row_of_code_is_the_limit_where_nobody_says_one() -> None:
    before = f"x = load(path)\n# {'remark' * 40}\n'''\n{'words ' * 30}\n'''\n"
    after = before.replace("load(path)", f"load(path, map_location=None if available() else {'a' * 50!r})")
    assert laid_out(before, after, None) != after
    wide = f"wide = {'b' * 120!r}\n"
    assert laid_out(before + wide, after + wide, None) == after + wide


def test_a_row_in_a_file_without_a_limit_may_grow_a_little() -> None:
    longest = f"wide = {'b' * 85!r}\n"
    before, after = f"x = load({'a' * 70!r}, some)\n", f"x = load({'a' * 70!r}, some_more_of_it)\n"
    assert len(after) > 97
    assert laid_out(longest + before, longest + after, None) == longest + after
    assert laid_out(longest + before, longest + after, 90) != longest + after
    assert laid_out(before, after, None) != after


def test_a_row_that_kept_no_limit_grows_by_a_type_and_a_device_rather_than_become_many() -> None:
    inner = f"torch.cat([made[i], Variable(LongTensor([{'a' * 20!r}] * (longest - made[i].size(1)))).view(1, -1)], 1)"
    before = f"x_padded.append({inner})\n"
    after = before.replace("LongTensor(", "torch.tensor(").replace("(1)))", "(1)), dtype=torch.int64, device=device)")
    assert 120 < len(after) <= len(before) + 40
    assert laid_out(before, after, None) == after
    assert laid_out(before, after, 80).count("\n") > 7
    few = f"x = load({'a' * 110!r})\n"
    assert 1 < laid_out(few, few.replace(")", ", dtype=torch.int64, device=device)"), None).count("\n") < 6


def test_a_row_that_was_pasted_stays_one_row() -> None:
    pasted = "".join(f"option_{index}={index}, " for index in range(30))
    before = f"options = make({pasted}device=torch.device('cuda'))\n"
    after = f"options = make({pasted}device=torch.device('cuda' if torch.cuda.is_available() else 'cpu'))\n"
    assert laid_out(before, after, None) == after
    assert laid_out(before, after, 100) != after


def test_the_variables_of_a_comprehension_stay_on_one_row() -> None:
    before = "x = OrderedDict((k, p) for k, p in names_of_items())\n"
    after = "x = OrderedDict((k, put(p).detach()) for k, p in names_of_items())\n"
    assert "for k,\n" not in laid_out(before, after, 60)
    assert "for k,\n" not in laid_out(BELOW + before, BELOW + after, 60)


def test_a_few_long_rows_are_no_limit() -> None:
    before = "x = load(path)\n" + "y = 1\n" * 100
    after = before.replace("path", f"path, map_location={'a' * 75!r}")
    assert laid_out(before, after, None) != after
    long = f"wide = {'b' * 120!r}\n"
    assert laid_out(before + long, after + long, None) != after + long
    assert laid_out(before + 3 * long, after + 3 * long, None) == after + 3 * long


@given(
    st.lists(st.sampled_from([one for case in BROKEN for one in case[1].splitlines()]), max_size=8), st.integers(40, 90)
)
def test_the_program_stays_the_same(lines: list[str], limit: int) -> None:
    after = "\n".join(lines) + "\n"
    result = laid_out("", after, limit)
    if result != after:
        assert ast.dump(ast.parse(result)) == ast.dump(ast.parse(after))
    assert splice(after, layout_edits("", after, limit)) == result
