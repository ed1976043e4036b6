"""The text on the site's pages, apart from the lessons and the documents."""

from secant.language import say


def words() -> dict[str, str]:
    """Return the text on the site's pages in the current language, apart from lessons and documents."""
    return {
        "course": say(
            en="Secant: PyTorch's autograd in ten lessons", ko="Secant: 수업 열 개로 배우는 PyTorch autograd"
        ),
        "about": say(
            en="Ten lessons on PyTorch's autograd as Jupyter notebooks, with sliders that turn a secant into "
            "the tangent and tests that tell you what is wrong with your function.",
            ko="PyTorch의 autograd를 다루는 주피터 노트북 수업 열 개입니다. "
            "슬라이더로 할선을 접선으로 바꾸어 보고, 직접 쓴 함수의 어디가 틀렸는지 테스트로 확인합니다.",
        ),
        "look": say(
            en="These pages are a preview: the sliders move, but nothing is graded. "
            "To write your own answers, run this (Python 3.11 or newer, about 2 GB):",
            ko="이 페이지는 미리 보기입니다. 슬라이더는 움직이지만 채점은 하지 않습니다. "
            "직접 답을 쓰려면 다음 명령을 실행하세요(Python 3.11 이상, 약 2 GB).",
        ),
        "begin": say(en="Begin with lesson 1", ko="수업 1부터 시작하기"),
        "repository": say(en="Source code", ko="소스 코드"),
        "try": say(
            en="Drag h to the left, towards 0: the secant turns into the tangent, and its slope into "
            "autograd's gradient. Drag it further, and the quotient goes wrong.",
            ko="h를 왼쪽으로, 0에 가깝게 끌어 보세요. 할선은 접선이 되고, 할선의 기울기는 "
            "autograd의 gradient가 됩니다. 더 끌면 차분몫이 어긋나기 시작합니다.",
        ),
        "command": say(en="make lab", ko="make lab lang=ko"),
        "lessons": say(en="Lessons", ko="수업 목록"),
        "lesson": say(en="Lesson", ko="수업"),
        "minutes": say(en=" min", ko="분"),
        "theme": say(en="Light or dark theme", ko="밝은 화면과 어두운 화면 전환"),
        "site": say(en="The site", ko="사이트"),
        "instructors": say(en="For instructors", ko="가르치는 분께"),
        "for_a_class": say(
            en="A grader for nbgrader notebooks: what a graded class looks like, "
            "and what the grader guarantees",
            ko="nbgrader 노트북을 위한 채점기: 한 반을 채점한 결과와 채점기가 보장하는 것",
        ),
        "report": say(en="The report on lesson 1", ko="수업 1의 보고서"),
        "report_alt": say(
            en="The top of the report: three sentences for the next lecture, and a histogram of the points",
            ko="보고서의 첫머리: 다음 시간에 쓸 문장 세 개와 점수 히스토그램",
        ),
        "course_report": say(en="The report on all three lessons", ko="수업 세 개를 합친 보고서"),
        "feedback": say(en="One student's feedback page", ko="한 학생의 피드백 페이지"),
        "no_class": say(
            en="The class could not be graded where these pages were made, so there is no report here.",
            ko="이 페이지를 만든 곳에서는 채점할 수 없어서 보고서가 없습니다.",
        ),
        "documents": say(en="Documents", ko="문서(영어)"),
        "search": say(en="Search", ko="검색"),
        "search_failed": say(
            en="The search could not be loaded. Try again", ko="검색을 불러오지 못했습니다. 다시 시도"
        ),
        "contents": say(en="On this page", ko="이 페이지의 차례"),
        "skip": say(en="Skip to the text", ko="본문으로 건너뛰기"),
        "tests": say(
            en="Visible tests (you run them in JupyterLab)", ko="보이는 테스트 (JupyterLab에서 실행합니다)"
        ),
        "code": say(en="Code of this cell", ko="이 셀의 코드"),
        "moves": say(
            en="In JupyterLab, you can move this picture with sliders.",
            ko="JupyterLab에서는 슬라이더로 이 그림을 움직일 수 있습니다.",
        ),
        "choose": say(en="Choose one before you read on.", ko="하나를 고른 뒤에 계속 읽으세요."),
        "chosen": say(
            en="Your choice is {choice}. Only this browser stores it. The lesson comes back to it later.",
            ko="고른 답은 {choice}입니다. 이 브라우저에만 남습니다. 뒤에서 다시 다룹니다.",
        ),
        "not_yet": say(
            en="You have not answered the prediction above yet. "
            "Choose an answer there; the explanation appears here.",
            ko="위의 예상에서 아직 답을 고르지 않았습니다. 먼저 고르면 여기에 설명이 나옵니다.",
        ),
        "answer": say(en="The answer, and what the other choices get wrong", ko="정답과 다른 답에 대한 설명"),
        "output": say(en="Output", ko="출력"),
        "before": say(en="Previous", ko="이전"),
        "after": say(en="Next", ko="다음"),
    }
