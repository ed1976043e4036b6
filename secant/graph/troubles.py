"""Sentences that explain which numbers are missing from a picture of a graph, and why."""

from collections.abc import Iterator, Mapping

from secant.graph.flow import Trouble
from secant.language import say


def sentences(troubles: Mapping[Trouble, tuple[str, ...]]) -> Iterator[str]:
    """Yield a sentence for each reason why numbers are missing, with the names of the nodes concerned."""
    for trouble, names in troubles.items():
        yield _sentence(trouble, ", ".join(dict.fromkeys(names)))


def _sentence(trouble: Trouble, names: str) -> str:
    match trouble:
        case "freed":
            return say(
                en="Some slopes and gradients are not available: backward() has freed what the nodes saved. "
                "Compute the result again, or call backward(retain_graph=True).",
                ko="일부 기울기와 gradient는 알 수 없습니다. backward()가 노드에 저장된 값을 해제했습니다. "
                "결과를 다시 계산하거나 backward(retain_graph=True)를 호출하세요.",
            )
        case "failed":
            return say(
                en=f"Some slopes and gradients are not available: a node raised an error ({names}).",
                ko=f"일부 기울기와 gradient는 알 수 없습니다. 노드가 계산 도중 오류로 멈췄습니다({names}).",
            )
        case "no_value":
            return say(
                en="Nodes without a value: their result is not kept anywhere. "
                "Pass that tensor to draw_graph with a name.",
                ko="값이 없는 노드: 결과가 어디에도 남아 있지 않습니다. "
                "그 텐서를 draw_graph에 이름과 함께 넘기세요.",
            )
        case "custom":
            return say(
                en=f"Left out: the slopes of {names}, and the gradients from there on. The backward there is "
                "a Python function that may do more than compute, so drawing does not run it.",
                ko=f"그리지 않은 것: {names}의 기울기와 그 뒤의 gradient. 그곳의 backward는 "
                "계산 말고 다른 일도 할 수 있는 파이썬 함수이므로 그릴 때 실행하지 않습니다.",
            )
        case "packed":
            return say(
                en=f"Left out: the slopes of {names}, and the gradients from there on. What was saved there "
                "is packed by a hook or recomputed by a checkpoint, and drawing runs neither.",
                ko=f"그리지 않은 것: {names}의 기울기와 그 뒤의 gradient. 그곳에 저장된 값은 "
                "hook이 보관했거나 checkpoint가 다시 계산합니다. 그릴 때는 어느 쪽도 실행하지 않습니다.",
            )
        case "hook":
            return say(
                en=f"Left out: the gradients from {names} on. A hook there may do more than compute, "
                "so drawing does not call it.",
                ko=f"그리지 않은 것: {names}부터 그 뒤의 gradient. 그곳의 hook은 "
                "계산 말고 다른 일도 할 수 있으므로 그릴 때 호출하지 않습니다.",
            )
        case "accumulated":
            return say(
                en=f"Left out: a hook that runs after backward() has added to the .grad of {names}. "
                "The gradient shown is the one that is added.",
                ko=f"그리지 않은 것: backward()가 {names}의 .grad에 더한 뒤에 실행되는 hook. "
                "여기에 나온 gradient는 더해지는 값입니다.",
            )
