import base64
import gc
import random
import re
import warnings
import weakref
from collections.abc import Iterator
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from torch.autograd.graph import saved_tensors_hooks

from secant import language
from secant.graph.draw import AutogradGraph, draw_graph
from secant.graph.layout import BOX, PlacedBox, lay_out, text_width
from secant.graph.record import LIMIT
from secant.value import TorchValue, Value

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _fail_on_warnings() -> Iterator[None]:
    before = language()
    language("en")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    language(before)


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values[0] if len(values) == 1 else values, requires_grad=True)


def network() -> dict[str, torch.Tensor]:
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    data, target = torch.ones(8, 2), torch.zeros(8, 1)
    out = net(data)
    return {"loss": torch.nn.functional.mse_loss(out, target), "out": out, "data": data, "target": target}


def examples() -> dict[str, dict[str, torch.Tensor]]:
    w, x, b = leaf(2.0), leaf(3.0), leaf(1.0)
    chain = recurrent = residual = x
    for _ in range(30):
        chain = chain.sin()
    for _ in range(10):
        recurrent = (recurrent * w).sin() + b
        residual = residual + (residual * w).relu()
    parts = torch.unbind(leaf(1.0, 2.0, 3.0) * 2)
    return {
        "line": {"loss": (w * x + b) ** 2, "w": w, "x": x, "b": b},
        "diamond": {"y": torch.log(x**3) + torch.sqrt(x**2), "x": x},
        "square": {"y": x * x, "x": x},
        "network": network(),
        "chain": {"y": chain, "x": x},
        "recurrent": {"y": recurrent, "w": w, "x": x, "b": b},
        "skipping": {"y": residual, "x": x},
        "two outputs": {"p": parts[0], "q": parts[0] + parts[1], "손실": parts[2] * w, "c": torch.ones(2)},
        "wide": {"y": torch.stack([leaf(1.0) for _ in range(20)])},
        "constants": {f"c{i}": torch.ones(2) for i in range(12)},
    }


EXAMPLES = list(examples())


def node_names(graph: AutogradGraph) -> list[str]:
    return [node.name.rstrip("01") for node in graph.nodes]


def saved_of(graph: AutogradGraph, name: str) -> list[str]:
    return [str(value) for node in graph.nodes if node.name.startswith(name) for value in node.saved]


def svg_of(graph: AutogradGraph) -> Any:
    address = re.search(r'src="data:image/svg\+xml;base64,([^"]*)"', graph._repr_html_())[1]
    return ElementTree.fromstring(base64.b64decode(address, validate=True))


def tooltips(graph: AutogradGraph) -> str:
    """Return the text of all tooltips."""
    return " ".join(re.findall(r'<span title="([^"]*)"', graph._repr_html_()))


def assert_no_overlap(graph: AutogradGraph) -> None:
    scene = lay_out(graph.snapshot, graph.saved)

    def extent(placed_box: PlacedBox) -> tuple[float, float, float, float]:
        return (
            placed_box.x - placed_box.left,
            placed_box.x + placed_box.right,
            placed_box.y,
            placed_box.y + placed_box.depth,
        )

    boxes = [extent(placed_box) for placed_box in scene.places]
    boxes += [(x, x + width, y, y + BOX) for x, y, width in scene.unattached]
    for first, second in combinations(boxes, 2):
        apart_in_x = first[1] <= second[0] or second[1] <= first[0]
        assert apart_in_x or first[3] <= second[2] or second[3] <= first[2], (first, second)
    assert all(box[0] >= 0 and box[1] <= scene.width and box[3] <= scene.height for box in boxes)


# Structure


def test_the_graph_of_a_line_has_its_nodes_edges_and_leaves() -> None:
    graph = draw_graph(**examples()["line"])
    assert node_names(graph) == ["PowBackward", "AddBackward", "MulBackward", *["AccumulateGrad"] * 3]
    assert [node.inputs for node in graph.nodes] == [(1,), (2, 3), (4, 5), (), (), ()]
    assert [node.leaf for node in graph.nodes] == [None, None, None, "b ()", "w ()", "x ()"]
    assert graph.nodes[0].tensors == ("loss",)
    assert [node.output for node in graph.nodes] == [True, False, False, False, False, False]


def test_shared_leaf_is_drawn_as_one_node() -> None:
    graph = draw_graph(**examples()["diamond"])
    assert sorted(node_names(graph)) == sorted(
        ["AddBackward", "LogBackward", "PowBackward", "SqrtBackward", "PowBackward", "AccumulateGrad"]
    )
    assert sum(5 in node.inputs for node in graph.nodes) == 2


def test_two_edges_between_the_same_nodes_are_both_drawn() -> None:
    graph = draw_graph(**examples()["square"])
    assert [node.inputs for node in graph.nodes] == [(1, 1), ()]
    edges = [path for path in svg_of(graph).findall(f"{SVG}path") if path.get("fill") == "none"]
    assert len(edges) == len({path.get("d") for path in edges}) == 2


def test_parallel_edges_that_skip_a_row_are_drawn_apart() -> None:
    x = leaf(2.0)
    graph = draw_graph(y=torch.stack([x, x, x.sin()]))
    starts = {re.match(r"M\S+", path.get("d"))[0] for path in svg_of(graph).findall(f"{SVG}path")}
    assert graph.nodes[0].inputs == (1, 1, 2)
    assert len(starts) >= 4  # three edges from the output, one from the sine


def test_constants_have_no_edge() -> None:
    graph = draw_graph(y=torch.ones(2) * leaf(1.0, 2.0) + 1)
    assert node_names(graph) == ["AddBackward", "MulBackward", "AccumulateGrad"]
    assert [node.inputs for node in graph.nodes] == [(1,), (2,), ()]


def test_a_long_chain_is_cut_near_the_output() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(3000):
        y = y + 1
    graph = draw_graph(y=y, x=x)
    assert len(graph.nodes) == LIMIT
    assert graph.nodes[0].tensors == ("y",)
    assert graph.nodes[-1].left_out == 1
    assert graph.snapshot.left_out == 3001 - LIMIT
    assert graph.snapshot.missing == ("x",)
    assert str(graph).splitlines()[-3].endswith("-> …")
    assert "2901 more follow" in str(graph)
    assert "not drawn: x" in graph._repr_html_()
    assert "⋯" in "".join(svg_of(graph).itertext())


def test_deep_graph_with_shared_parts_lists_each_node_once() -> None:
    y = leaf(1.0)
    for _ in range(40):
        y = y + y  # 2**40 paths lead to the leaf
    assert len(draw_graph(y=y).nodes) == 41


def test_outputs_and_named_intermediates_are_labelled() -> None:
    graph = draw_graph(**examples()["two outputs"])
    outputs = {node.tensors: node.output for node in graph.nodes if node.tensors}
    assert outputs == {("q",): True, ("손실",): True, ("p ()",): False}  # p is one of three results
    assert [(box.label, box.constant) for box in graph.snapshot.unattached] == [("c (2,)", True)]


def test_tensor_with_two_names_shows_both() -> None:
    x = leaf(1.0)
    y = x.exp()
    graph = draw_graph(y=y, also=y, x=x, leaf=x)
    assert graph.nodes[0].tensors == ("y", "also")
    assert graph.nodes[1].leaf == "x, leaf ()"


def test_module_parameters_are_labelled_by_name() -> None:
    net = torch.nn.Linear(2, 1)
    graph = draw_graph(out=net(torch.ones(3, 2)), **dict(net.named_parameters()))
    assert {node.leaf for node in graph.nodes} == {None, "weight (1, 2)", "bias (1,)"}


# Supported graphs


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: float) -> torch.Tensor:
        ctx.save_for_backward(x)
        ctx.factor = factor
        ctx.variable = "not a leaf"
        return x * factor

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, None]:
        return grad * ctx.factor, None


def test_custom_function_shows_its_node_and_saved_values() -> None:
    x = leaf(2.0)
    y = Scale.apply(x, 3.0)
    graph = draw_graph(y=y, x=x)
    assert [node.name for node in graph.nodes] == ["ScaleBackward", "AccumulateGrad"]
    assert saved_of(graph, "Scale") == ["saved_tensors[0]: x () = 2", "factor = 3", "variable = 'not a leaf'"]
    y.backward()
    assert "saved_tensors: freed" in saved_of(draw_graph(y=y), "Scale")


def test_writing_into_a_view_is_drawn_as_copy_slices() -> None:
    x, base = leaf(2.0), torch.zeros(3)
    part = base[1:2]
    part.mul_(x)
    graph = draw_graph(base=base, part=part)
    assert "CopySlices" in node_names(graph)
    assert graph.nodes[0].tensors == ("part",)
    assert ("base",) in [node.tensors for node in graph.nodes if node.name == "CopySlices"]


def test_tensors_without_a_graph_are_drawn_as_loose_boxes() -> None:
    x = leaf(2.0)
    with torch.no_grad():
        y = x * 2
    graph = draw_graph(x=x, y=y, z=x.detach())
    assert graph.nodes == ()
    assert [(box.label, box.constant) for box in graph.snapshot.unattached] == [
        ("x ()", False),
        ("y ()", True),
        ("z ()", True),
    ]
    assert "unused leaf" in str(graph)
    assert "constant leaf" in str(graph)
    assert "no node made them" in graph._repr_html_()


def test_drawing_a_graph_does_not_change_it() -> None:
    tensors = network()
    before = tensors["loss"].grad_fn, tensors["loss"].grad_fn.next_functions
    draw_graph(saved=True, **tensors)._repr_html_()
    assert (tensors["loss"].grad_fn, tensors["loss"].grad_fn.next_functions) == before
    tensors["loss"].backward()
    draw_graph(saved=True, **tensors)._repr_html_()


def test_the_picture_does_not_keep_the_graph_alive() -> None:
    x = leaf(2.0)
    tensor = x.exp()
    reference = weakref.ref(tensor)
    graph = draw_graph(saved=True, y=tensor * 2)
    del tensor
    gc.collect()
    assert reference() is None
    assert graph.nodes


def test_graph_of_a_double_backward_is_drawn() -> None:
    x = leaf(2.0)
    (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
    graph = draw_graph(slope=slope, x=x)
    assert "AccumulateGrad" in node_names(graph)
    assert graph._repr_html_()


# Saved values


def test_drawing_shows_saved_values_with_their_names() -> None:
    graph = draw_graph(saved=True, **examples()["line"])
    assert saved_of(graph, "Pow") == ["self: () = 7", "exponent = 2"]
    assert sorted(saved_of(graph, "Mul")) == ["other: x () = 3", "self: w () = 2"]
    assert "self: w () = 2" in str(graph)
    assert "self: w () = 2" in "".join(svg_of(graph).itertext())


def test_saved_values_are_tooltips_by_default() -> None:
    graph = draw_graph(**examples()["line"])
    assert "self" not in str(graph)
    root = svg_of(graph)
    assert "self: w () = 2" in tooltips(graph)
    assert "self" not in " ".join(text.text for text in root.iter(f"{SVG}text"))


def test_a_result_that_is_saved_has_its_name() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    assert saved_of(draw_graph(y=y), "Exp") == ["result: y (2,)"]
    assert saved_of(draw_graph(z=y.t()), "Exp") == [
        "result: z (2,)"
    ]  # z shares the result's memory, and so its values
    assert saved_of(draw_graph(z=y[:1]), "Exp") == ["result: (2,)"]


def test_values_freed_by_backward_are_shown_as_freed() -> None:
    tensors = examples()["line"]
    tensors["loss"].backward()
    graph = draw_graph(saved=True, **tensors)
    assert saved_of(graph, "Mul") == ["other: freed", "self: freed"]
    assert "self: freed" in graph._repr_html_()
    language("ko")
    assert "self: 해제됨" in graph._repr_html_()
    assert "self: 해제됨" in str(graph)


def test_saved_value_changed_in_place_is_marked() -> None:
    y = leaf(1.0, 2.0).exp()
    total = y.sum()
    y.add_(1)
    assert saved_of(draw_graph(total=total, y=y), "Exp") == ["result: changed in place since"]


def test_hooks_are_not_called() -> None:
    def refuse(value: Any) -> Any:
        raise AssertionError("unpacked")

    x = leaf(2.0)
    with saved_tensors_hooks(lambda tensor: tensor, refuse):
        y, z = x * x, Scale.apply(x, 2.0)
    assert saved_of(draw_graph(y=y), "Mul") == ["other: packed by a hook", "self: packed by a hook"]
    assert "saved_tensors: packed by a hook" in saved_of(draw_graph(z=z), "Scale")


def test_saved_negative_integers_are_shown_as_negative() -> None:
    assert "index = -1" in saved_of(draw_graph(y=(leaf(1.0, 2.0) * 2)[-1]), "Select")


def test_index_of_an_indexing_node_is_shown_as_a_list_of_tensors() -> None:
    y = (leaf(1.0, 2.0) * 2)[torch.tensor([0, 1])]
    assert saved_of(draw_graph(y=y), "Index") == ["indices[0]: (2,)", "self_sym_sizes = (2,)"]


def test_many_saved_values_are_cut_short_in_the_picture() -> None:
    y = torch.nn.BatchNorm1d(2)(torch.randn(3, 2))
    graph = draw_graph(saved=True, y=y)
    texts = [text.text for text in svg_of(graph).iter(f"{SVG}text")]
    assert len(graph.nodes[0].saved) >= 8
    assert len(texts) < 16


def test_sparse_gradients_and_odd_dtypes_are_drawn() -> None:
    rows = torch.nn.Embedding(4, 2, sparse=True)(torch.tensor([0, 1]))
    wave = torch.tensor(1 + 2j, requires_grad=True)
    graph = draw_graph(saved=True, rows=rows, y=(wave * wave).abs(), s=torch.eye(2).to_sparse())
    assert graph._repr_html_()
    assert "1+2j" in str(graph)


# Values, slopes, gradients

ALL_NUMBERS: dict[str, bool] = {"values": True, "slopes": True, "gradients": True}


def facts(graph: AutogradGraph, name: str) -> list[str]:
    return [str(fact) for node in graph.nodes if name in (node.name, *node.tensors) for fact in node.facts]


def power_with_both_as_inputs() -> dict[str, torch.Tensor]:
    x, q = leaf(5.0), leaf(3.0)
    y = x**q
    return {"x": x, "q": q, "y": y, "z": torch.log(y)}


def broadcast_and_dot() -> dict[str, torch.Tensor]:
    x = leaf(5.0)
    y = x * torch.tensor([2.0, 3.0, 5.0])
    return {"x": x, "y": y, "z": y @ torch.tensor([4.0, 7.0, 9.0])}


def test_drawn_numbers_of_a_power_cover_base_and_exponent() -> None:
    tensors = power_with_both_as_inputs()
    graph = draw_graph(**ALL_NUMBERS, **tensors)
    assert facts(graph, "z") == ["value = 4.828", "gradient = 1", "slope to y = 0.008"]
    assert facts(graph, "y") == [
        "value = 125", "gradient = 0.008", "slope to x = 75", "slope to q = 201.2",
    ]  # fmt: skip
    leaves = facts(graph, "AccumulateGrad")
    assert leaves == ["value = 5", "gradient = 0.6", "value = 3", "gradient = 1.609"]
    assert tensors["x"].grad is None
    assert tensors["q"].grad is None
    tensors["z"].backward()  # drawing has freed nothing
    torch.testing.assert_close(tensors["x"].grad, torch.tensor(0.6))


def test_drawn_numbers_of_a_broadcast_and_a_dot_product_are_right() -> None:
    graph = draw_graph(**ALL_NUMBERS, **broadcast_and_dot())
    assert facts(graph, "z") == ["value = 370", "gradient = 1", "slope to y = [4, 7, 9]"]
    assert facts(graph, "y") == [
        "value = [10, 15, 25]",
        "gradient = [4, 7, 9]",
        "slopes to the copies of x = [2, 3, 5]",
    ]
    assert facts(graph, "AccumulateGrad") == ["value = 5", "gradient = 74"]


@pytest.mark.parametrize("example", [name for name in EXAMPLES if name != "constants"])
def test_the_gradients_are_those_of_backward(example: str) -> None:
    tensors = {name: tensor for name, tensor in examples()[example].items() if tensor.requires_grad}
    before = {name: tensor.grad for name, tensor in tensors.items() if tensor.is_leaf}
    graph = draw_graph(gradients=True, **tensors)
    assert {name: tensors[name].grad for name in before} == before
    outputs = [tensors[node.tensors[0]] for node in graph.nodes if node.output]
    torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])
    leaves = [node for node in graph.nodes if node.leaf and node.leaf.split()[0] in tensors]
    for node in leaves:
        name = node.leaf.split()[0]
        assert [str(fact) for fact in node.facts] == [f"gradient = {tensors[name].grad.item():.4g}"]


def test_gradient_numbers_are_drawn_only_on_request() -> None:
    assert not any(node.facts for node in draw_graph(**power_with_both_as_inputs()).nodes)
    graph = draw_graph(slopes=True, **power_with_both_as_inputs())
    assert {fact.kind for node in graph.nodes for fact in node.facts} == {"slope"}


def test_a_custom_function_has_slopes_too() -> None:
    x = leaf(2.0)
    assert facts(draw_graph(slopes=True, x=x, y=Scale.apply(x, 3.0)), "y") == ["slope to x = 3"]


def test_missing_values_are_explained_below_the_graph(both_languages: str) -> None:
    language(both_languages)
    tensors = power_with_both_as_inputs()
    tensors["z"].backward()
    freed_graph = draw_graph(**ALL_NUMBERS, **tensors)
    assert {"en": "has freed", "ko": "해제했습니다"}[both_languages] in freed_graph._repr_html_()
    assert {"en": "has freed", "ko": "해제했습니다"}[both_languages] in str(freed_graph)
    x = leaf(2.0)
    unnamed_graph = draw_graph(values=True, y=(x + 1) + 1)
    assert {"en": "not kept anywhere", "ko": "어디에도 남아 있지 않습니다"}[
        both_languages
    ] in unnamed_graph._repr_html_()


def test_graph_is_drawn_although_a_backward_raises() -> None:
    class Raises(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            raise ZeroDivisionError

    graph = draw_graph(gradients=True, y=Raises.apply(leaf(1.0)))
    assert "raised an error" in str(graph)


@pytest.mark.parametrize("make", [power_with_both_as_inputs, broadcast_and_dot, network])
def test_numbers_do_not_overlap(make: Any) -> None:
    assert_no_overlap(draw_graph(**ALL_NUMBERS, **make()))


def test_untrusted_page_shows_one_picture_without_stray_text() -> None:
    """In an untrusted page, JupyterLab would remove an inline SVG but leave its text."""
    page = draw_graph(**ALL_NUMBERS, **power_with_both_as_inputs())._repr_html_()
    assert "<svg" not in page
    assert "<text" not in page
    assert page.count('alt="Autograd graph') == 1
    legend = re.sub("<[^>]*>", " ", re.sub("<style.*?</style>", "", page))
    assert "PowBackward" not in legend


# Picture and text


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_no_boxes_overlap(example: str, saved: bool) -> None:
    assert_no_overlap(draw_graph(saved=saved, **examples()[example]))


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("example", EXAMPLES)
def test_text_fits_its_box(example: str, saved: bool, lang: str) -> None:
    tensors = examples()[example]
    if example == "network":
        tensors["loss"].backward()
    language(lang)
    root = svg_of(draw_graph(saved=saved, **tensors))
    width, height = float(root.get("width")), float(root.get("height"))
    count = 0
    for group in root.iter(f"{SVG}g"):
        boxes = [
            [float(rect.get(key)) for key in ("x", "y", "width", "height")]
            for rect in group.iter(f"{SVG}rect")
        ]
        for path in group.iter(f"{SVG}path"):
            if hexagon := re.match(r"M(\S+) (\S+?)l(\S+) (-\S+?)h(\S+?)l", path.get("d")):
                x, y, side, up, flat = map(float, hexagon.groups())
                boxes.append([x, y + up, flat + 2 * side, -2 * up])
        assert all(x >= 0 and x + w <= width and y >= 0 and y + h <= height for x, y, w, h in boxes)
        for text in group.iter(f"{SVG}text"):
            length = text_width(text.text, float(text.get("font-size")))
            start = (
                float(text.get("x")) - {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")] * length
            )
            base = float(text.get("y"))
            assert any(
                x + 2 <= start and start + length <= x + w - 2 and y + 8 <= base <= y + h - 3
                for x, y, w, h in boxes
            ), text.text
            count += 1
    assert count


@pytest.mark.parametrize("example", EXAMPLES)
def test_edges_only_go_down_and_all_end_at_a_node(example: str) -> None:
    graph = draw_graph(**examples()[example])
    scene = lay_out(graph.snapshot, graph.saved)
    row_of = {i: r for r, row in enumerate(scene.rows) for i in row}
    assert all(row_of[end] == row_of[start] + 1 for start, end in scene.edges)
    waypoints = set(range(len(scene.places))) - set(range(len(graph.nodes)))
    successors = dict(edge for edge in scene.edges if edge[0] in waypoints)

    def end_node(index: int) -> int:
        while index in waypoints:
            index = successors[index]
        return index

    edges = [(start, end_node(end)) for start, end in scene.edges if start not in waypoints]
    assert sorted(edges) == sorted((i, j) for i, node in enumerate(graph.nodes) for j in node.inputs)


def test_a_row_wider_than_a_page_is_split() -> None:
    scene = lay_out(draw_graph(**examples()["wide"]).snapshot, False)
    assert len(scene.rows) > 2
    assert scene.width < 1500


@pytest.mark.parametrize("seed", range(12))
def test_no_boxes_overlap_in_a_random_graph(seed: int) -> None:
    dice = random.Random(seed)
    tensors = [leaf(1.0, 2.0) for _ in range(dice.randint(1, 30))]
    for _ in range(dice.randint(1, 80)):
        operands = [dice.choice(tensors[-12:]) for _ in range(dice.randint(1, 4))]
        tensors.append(operands[0] * operands[-1] if len(operands) < 3 else torch.stack(operands).sum(0))
    named_tensors = {f"t{i}": dice.choice(tensors) for i in range(8)}
    assert_no_overlap(draw_graph(saved=seed % 2 == 0, end=tensors[-1], **named_tensors))


def test_text_form_lists_nodes_and_edges() -> None:
    lines = str(draw_graph(**examples()["line"])).splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["1", "PowBackward0", "loss", "()", "->", "2"],
        ["2", "AddBackward0", "()", "->", "3,", "4"],
        ["3", "MulBackward0", "()", "->", "5,", "6"],
    ]
    assert lines[3:] == ["4  AccumulateGrad  b ()", "5  AccumulateGrad  w ()", "6  AccumulateGrad  x ()"]
    assert len({line.index("->") for line in lines[:3]}) == 1


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            ["Arrows follow the backward pass", "constant leaf", "Autograd graph, nodes: 10", "leads to"],
        ),
        ("ko", ["역방향 계산의 방향", "상수 leaf", "계산 그래프, 노드 10개", "출력"]),
    ],
)
def test_a_graph_is_shown_in_the_language_in_use(lang: str, words: list[str]) -> None:
    graph = draw_graph(**network())
    language(lang)  # the language is chosen when the graph is shown
    page = graph._repr_html_()
    assert [word for word in words if word not in page] == []


def test_no_english_word_is_left_in_korean() -> None:
    language("ko")
    graph = draw_graph(**network())
    allowed = {"backward", "grad_fn", "shape", "next_functions", "leaf", "requires_grad", "grad", "gradient"}
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<style.*?</style>", "", graph._repr_html_(), flags=re.DOTALL))
    assert set(re.findall(r"[A-Za-z_]{2,}", text)) - allowed == {"AccumulateGrad"}


def test_legend_lists_only_kinds_that_occur() -> None:
    page = draw_graph(**examples()["square"])._repr_html_()
    assert "constant leaf" not in page
    assert "named result" not in page
    assert "AccumulateGrad: adds" in page


def test_names_are_escaped() -> None:
    x = leaf(1.0)
    tensors = {'<b>"&': x, "<script>": x * 2, "<i>": torch.ones(1)}
    page = draw_graph(saved=True, **tensors)._repr_html_()
    assert "<b>" not in page
    assert "<script" not in page
    assert "<i>" not in page
    assert '<b>"& ()' in "".join(svg_of(draw_graph(**tensors)).itertext())


def test_graph_is_readable_without_style_sheets() -> None:
    graph = draw_graph(saved=True, **network())
    root = svg_of(graph)
    alt = re.search(r'<img [^>]*alt="([^"]*)"', graph._repr_html_())[1]
    assert alt.startswith("Autograd graph, nodes: 10. 1 MseLossBackward0 loss () leads to 2 Addmm")
    assert not list(root.iter(f"{SVG}style"))
    for element in root.iter():
        if element.tag in {f"{SVG}text", f"{SVG}rect"}:
            assert element.get("fill")
            assert "var(" not in element.get("fill")


def test_a_long_name_is_clipped_but_complete_on_hovering() -> None:
    x = leaf(1.0)
    name = "a_name_that_is_really_much_longer_than_any_that_a_picture_can_show"
    root = svg_of(draw_graph(**{name: x * 2}))
    assert all(name not in (text.text or "") for text in root.iter(f"{SVG}text"))
    assert name in tooltips(draw_graph(**{name: x * 2}))


# Refusals


def test_draw_graph_of_a_float_is_refused() -> None:
    with pytest.raises(TypeError, match="draw_graph shows tensors; y is a float"):
        draw_graph(x=leaf(1.0), y=1.0)


def test_no_tensor_at_all_is_refused() -> None:
    with pytest.raises(TypeError, match="needs the tensors"):
        draw_graph()


def test_a_tensor_called_saved_is_refused() -> None:
    with pytest.raises(TypeError, match="another name"):
        draw_graph(saved=leaf(1.0))
    with pytest.raises(TypeError, match=r"gradients is True or False.*another name"):
        draw_graph(gradients=leaf(1.0))


def test_values_are_drawn_with_their_own_slopes() -> None:
    x = Value(2.0)
    y = Value(4.0, (x,), (4.0,))
    z = Value(8.0, (y, x), (2.0, 4.0))
    w = Value(64.0, (z, Value(8.0)), (8.0, 8.0))
    y.grad = 16.0
    graph = draw_graph(**ALL_NUMBERS, w=w, z=z, y=y, x=x)
    assert node_names(graph) == ["w", "z", "Value", "y", "x"]
    assert [node.kind for node in graph.nodes] == ["value", "value", "leaf", "value", "leaf"]
    assert facts(graph, "y") == ["value = 4", "gradient = 16", "slope to x = 4"]
    assert facts(graph, "z") == ["value = 8", "gradient = 0", "slope to y = 2", "slope to x = 4"]
    assert_no_overlap(graph)
    page = graph._repr_html_()
    assert "a Value without parents" in page
    assert "AccumulateGrad" not in page


def test_a_square_of_a_value_has_two_edges_and_a_large_graph_is_cut() -> None:
    x = Value(3.0)
    assert draw_graph(y=Value(9.0, (x, x), (3.0, 3.0)), x=x).nodes[0].inputs == (1, 1)
    values = [x]
    for _ in range(120):
        values.append(Value(1.0, (values[-1],), (1.0,)))
    graph = draw_graph(y=values[-1], x=x)
    assert (len(graph.nodes), graph.snapshot.left_out, graph.snapshot.missing) == (100, 21, ("x",))
    assert graph.nodes[-1].kind == "value"


def test_torch_values_in_value_objects_are_drawn_as_tensors() -> None:
    x = TorchValue(2.0)
    assert node_names(draw_graph(y=x**2, x=x)) == ["PowBackward", "AccumulateGrad"]


def test_drawing_values_and_tensors_together_is_refused() -> None:
    with pytest.raises(TypeError, match="draw_graph shows tensors; x is a Value"):
        draw_graph(y=leaf(1.0), x=Value(1.0))
