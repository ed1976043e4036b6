"""The notes of the demo's invented students: their answers to the tasks that are graded by hand.

Each note is used once, because the report would list two students with the same note as near-copies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from secant.language import Language


@dataclass(frozen=True)
class Notes:
    """Answers to a task that is graded by hand, in one language.

    Attributes:
        good: notes that deserve all points.
        fair: notes that deserve some of the points.
        poor: notes that deserve no points.
    """

    good: Sequence[str]
    fair: Sequence[str]
    poor: Sequence[str]


TWO_CURVES_EN = Notes(
    good=(
        "With zeroing, |w| drops by the same factor every time: 0.8, 0.64, 0.512, 0.410, 0.328. Without "
        "zeroing it looks better at first (0.44 and then 0.008 at step 3), but then it goes back up to "
        "0.454 and 0.810. At step 3 the buffer without the reset is 2 + 1.6 + 0.88 = 4.48, with it just "
        "1.28. When w is near 0 the new gradient is about 0 but the 4.48 is still in there, so w gets "
        "pushed through.",
        "Blue curve: decays smoothly, each value is 80% of the one before. Orange curve: same first step "
        "(0.800), then faster, almost 0 at k=3 (0.008), then it climbs to 0.810 at k=5, so nearly where "
        "it started.\n\nReason: `w.grad` is a sum. At the third step it is 4.48 = 2 + 1.6 + 0.88 instead "
        "of 1.28. Only the last part knows where w is now. At the minimum the gradient of today is zero "
        "and the old ones are not, so it can't stop there.",
        "The orange curve beats the blue one until k = 3, where it is 0.008 and blue still 0.512. After "
        "that orange grows (0.454, 0.810) while blue keeps shrinking to 0.328. I printed w.grad: at the "
        "third step 1.28 with the reset and 4.48 without, and 4.48 is the three gradients added up. It "
        "acts like a ball with momentum and no friction: it arrives at 0 with speed and rolls up on the "
        "other side (w is negative there).",
        "zero=True: 0.8^k. zero=False: 0.800, 0.440, 0.008, 0.454, 0.810. So in the middle it seems that "
        "forgetting the reset is the faster optimizer, and if I had only run three steps I would have "
        "believed that. In step 3 w.grad holds every gradient since the start, 2 + 1.6 + 0.88, and with "
        "the reset only 2 * 0.64. The old gradients all point to the left, so w overshoots 0 and keeps "
        "going.",
        "Without the reset the steps get bigger instead of smaller: w moves by 0.2, 0.36, 0.448. That is "
        "lr times the accumulated gradient 2, 3.6, 4.48. With the reset the steps are 0.2, 0.16, 0.128. "
        "The accumulated one passes the minimum at the third step (0.008, w is already negative), and "
        "because 4.46 is still in the buffer the next step is again large. Blue ends at 0.328, orange at "
        "0.810 and it would swing back later.",
        "1) What I saw: with reset a steady decline to 0.328. Without reset a dip to 0.008 at step 3, "
        "then back up to 0.81. 2) Why: `backward()` adds to `.grad`. So at step 3 there is 4.48 in it (2, "
        "1.6 and 0.88 together); with reset it would be 1.28. w does not stay at 0 since the update "
        "subtracts lr * 4.48 and not lr * (gradient at 0).",
        "Orange is better only for k = 2 and 3 (0.440 < 0.640, 0.008 < 0.512), then it is worse: 0.454 > "
        "0.410 and 0.810 > 0.328. The third w.grad is 1.28 when we zero, 4.48 = 2 + 1.6 + 0.88 when we "
        "don't. A smaller lr does not repair it, I tried lr = 0.01 and it only needs more steps to fly "
        "past the minimum.",
    ),
    fair=(
        "The blue one goes down slowly, 0.8, 0.64, 0.512, 0.41, 0.328. The orange one is nearly zero at "
        "step 3 (0.008), which is better, but then goes up again to 0.81. I think this is because the "
        "learning rate is too big without the reset.",
        "If you don't reset, gradients accumulate, so the third step uses the sum of three gradients "
        "instead of one. Therefore the optimizer does not stop at the minimum.",
        "With zero=True it converges. With zero=False it first converges faster but then diverges. At the "
        "third step w.grad = 4.48 without reset and 1.28 with it.",
        "First both are 0.800. Then zero=False is lower, 0.440 and 0.008, and then it bounces, 0.454, "
        "0.810. It bounces because w became negative and the gradient of w^2 changes its sign there.",
        "w.grad is the sum of all gradients so far so the steps become larger and larger until w jumps "
        "over the minimum. In the plot you see it at about k = 3.",
        "The curve without the reset has its lowest point at k=3 and is at about 0.8 in the end. The "
        "other one only goes down. It's like momentum, which is why it is faster in the beginning!",
        "zero=False ends at 0.810, zero=True ends at 0.328, so the reset is better by a factor of 2.5. "
        "The buffer had 4.48 in it and should have had 1.28.",
        "Orange falls faster because its w.grad is bigger. I am not sure why it goes up at the end, maybe "
        "rounding, since 0.008 is already very small.",
    ),
    poor=(
        "The two curves are different because one uses zero_grad and the other does not. You should "
        "always call zero_grad.",
        "The orange curve is better since it reaches the minimum faster. So for this function the reset "
        "is not needed.",
        "I got the same numbers for both (0.800 0.640 0.512 0.410 0.328), so there is no difference "
        "between them in my notebook. See plot.",
        "Gradient descent goes downhill until the loss is minimal. The learning rate is an important "
        "hyperparameter.",
        "sorry, ran out of time here, will add this later",
    ),
)

TWO_CURVES_KO = Notes(
    good=(
        "비우는 쪽은 0.8, 0.64, 0.512, 0.410, 0.328로 매번 0.8배가 됩니다. 비우지 않는 쪽은 두 번째 "
        "스텝부터 더 빨라서 세 번째에 0.008까지 내려가지만, 그다음에는 0.454, 0.810으로 다시 올라갑니다. "
        "세 번째 스텝의 w.grad는 비우면 1.28이고, 비우지 않으면 2 + 1.6 + 0.88 = 4.48입니다. 0 근처에서 "
        "새 gradient는 거의 0인데 4.48이 그대로 남아 있어서 w가 멈추지 못하고 지나갑니다.",
        "파란 곡선은 계속 줄어들고(마지막 0.328), 주황 곡선은 k=3에서 0.008로 거의 최소점에 닿았다가 "
        "k=5에 0.810으로 돌아옵니다.\n\n이유는 backward()가 .grad에 더하기 때문입니다. 세 번째에 들어 "
        "있는 4.48 가운데 지금 위치의 gradient는 0.88뿐이고 나머지 3.6은 이미 지나온 곳의 것입니다. "
        "최소점에 와도 이 값이 사라지지 않으니 w가 음수 쪽으로 넘어갑니다.",
        "k=2, 3만 보면 안 비운 쪽이 더 좋아 보여요(0.440과 0.008, 비운 쪽은 0.640과 0.512). 그런데 "
        "k=4부터는 0.454, 0.810으로 커져서 결국 훨씬 나빠집니다. w.grad를 찍어 보니 세 번째에 1.28과 "
        "4.48이었고, 4.48은 앞의 두 gradient까지 더한 값이었습니다. 옛날 gradient가 계속 같은 방향으로 "
        "미니까 0에서 설 수가 없습니다.",
        "비우지 않으면 한 번에 움직이는 거리가 0.2, 0.36, 0.448로 점점 커진다. 비우면 0.2, 0.16, 0.128로 "
        "점점 작아진다. 세 번째 거리가 0.448인 까닭은 버퍼에 세 gradient의 합 4.48이 있고 lr이 "
        "0.1이라서다. 그래서 |w|가 0.008까지 갔다가 반대쪽으로 넘어가 0.454, 0.810이 된다. 비운 쪽은 "
        "0.328까지 천천히 간다.",
        "[본 것] zero=True는 0.8의 거듭제곱을 따라 내려감. zero=False는 0.800, 0.440, 0.008 다음에 0.454, "
        "0.810으로 반등. 세 스텝까지만 보면 버그가 있는 쪽이 더 빨라 보임.\n[이유] 세 번째 스텝의 w.grad: "
        "1.28(비움), 2 + 1.6 + 0.88 = 4.48(안 비움). 최소점에서 새 gradient는 0이 되지만 쌓인 합은 0이 "
        "아니라서 계속 같은 쪽으로 움직임.",
        "비우지 않은 곡선은 브레이크 없는 자전거 같습니다. 내려갈 때는 더 빨라서 k=3에 0.008이 되지만, "
        "바닥에서 속도가 남아 반대편으로 0.454, 0.810까지 올라갑니다. 속도에 해당하는 것이 w.grad에 쌓인 "
        "합입니다. 세 번째에 4.48이고, 비웠다면 지금 gradient인 1.28만 있었을 것입니다. 비운 곡선은 "
        "0.328까지 꾸준히 줄어듭니다.",
        "처음 스텝은 둘 다 0.800으로 같습니다. 더할 옛 gradient가 아직 없으니까요. 그 뒤로 안 비운 쪽 "
        "버퍼는 3.6, 4.48로 늘어나고 비운 쪽은 1.6, 1.28로 줄어듭니다. 그래서 안 비운 쪽이 먼저 0.008에 "
        "닿지만 4.48이 남아 있어 지나쳐 버리고 마지막에는 0.810입니다. lr을 0.01로 줄여 봤는데 더 늦게 "
        "지나칠 뿐이었습니다.",
    ),
    fair=(
        "비운 곡선은 0.8, 0.64, 0.512, 0.41, 0.328로 줄어들고, 비우지 않은 곡선은 0.008까지 갔다가 0.81로 "
        "다시 커집니다. 비우지 않으면 학습률이 너무 커지기 때문인 것 같습니다.",
        "grad를 초기화하지 않으면 이전 gradient가 누적됩니다. 그래서 세 번째 스텝에는 세 개가 더해져 "
        "있고, 그 때문에 최소점에 멈추지 않습니다.",
        "안 비운 쪽이 k=3까지는 더 빠릅니다. 그 뒤에는 다시 올라갑니다. 세 번째 w.grad는 4.48이고 비운 "
        "쪽은 1.28입니다.",
        "둘 다 0.800에서 시작해서 하나는 0.328, 다른 하나는 0.810으로 끝났습니다. w가 음수가 되면 "
        "gradient 부호가 바뀌어서 튕겨 나오는 것 같아요.",
        "w.grad가 계속 더해지니까 한 걸음이 점점 커지고, 그래서 최소점을 뛰어넘습니다. 그래프로는 3쯤에서 "
        "그렇게 됩니다.",
        "주황색이 처음에는 더 빨리 떨어지는데 나중에 올라간다. 모멘텀이랑 비슷한 효과라고 생각한다. "
        "파란색은 계속 내려간다(0.328).",
        "0.440, 0.008까지는 잘 내려가다가 0.454, 0.810으로 올라갔습니다. 왜 올라가는지는 잘 모르겠습니다. "
        "숫자가 너무 작아서 오차가 생긴 걸까요?",
        "비운 쪽: 매번 0.8배. 안 비운 쪽: 진동. 안 비우면 옛날 gradient가 섞여서 방향이 틀어집니다.",
    ),
    poor=(
        "하나는 zero_grad를 했고 하나는 안 해서 두 곡선이 다릅니다. 항상 zero_grad를 해야 합니다.",
        "주황색 곡선이 최소점에 더 빨리 도착했으므로 비우지 않는 것이 더 좋은 방법입니다.",
        "저는 두 곡선이 똑같이 나왔습니다(0.800 0.640 0.512 0.410 0.328). 그래서 차이가 없는 것 같습니다.",
        "경사하강법은 손실이 가장 작아지는 쪽으로 가중치를 바꾸는 방법입니다. 학습률을 잘 정하는 것이 "
        "중요합니다.",
        "잘 모르겠습니다",
    ),
)

#: The notes (answers) for each task that is graded by hand, keyed by the task and the notebook's language.
NOTES: Mapping[str, Mapping[Language, Notes]] = {"two_curves": {"en": TWO_CURVES_EN, "ko": TWO_CURVES_KO}}
