"""Tests of the settings that `use_secant` changes in a course's nbgrader_config.py, and of those it keeps."""

import pytest
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions, NbGraderPreprocessor
from traitlets.config import Config

from autograder.build.lesson_step import ClearAnswers
from autograder.configure import use_secant
from autograder.course.settings import load_config
from tests.support.lessons import ROOT

CHANGED_SETTINGS = {
    "GenerateAssignment": {"preprocessors"},
    "ExchangeFactory": {"collect", "list", "release_feedback"},
    "Autograde": {"exporter_class", "sanitize_preprocessors", "autograde_preprocessors"},
    "GenerateFeedback": {"exporter_class", "preprocessors"},
    "ExportApp": {"plugin_class"},
}


class CoursePreprocessor(NbGraderPreprocessor):
    """A preprocessor that the course itself adds."""


def setting_names(config: Config) -> dict[str, set[str]]:
    """Return the names of all settings, by the class that they configure."""
    return {name: set(section) for name, section in config.items() if section}


def test_use_secant_sets_only_the_listed_settings() -> None:
    config = Config()
    use_secant(config)
    assert setting_names(config) == CHANGED_SETTINGS


def test_use_secant_keeps_settings_of_the_course() -> None:
    config = Config()
    config.CourseDirectory.course_id = "mine"
    config.CourseDirectory.source_directory = "src"
    config.ClearSolutions.code_stub = {"python": "# Yours"}
    config.Execute.timeout = 7
    config.GenerateFeedback.force = True
    before = setting_names(config)
    use_secant(config)
    after = setting_names(config)
    assert all(names <= after[section] for section, names in before.items())
    assert config.CourseDirectory == {"course_id": "mine", "source_directory": "src"}
    assert config.ClearSolutions.code_stub == {"python": "# Yours"}
    assert config.Execute == {"timeout": 7}
    assert config.GenerateFeedback.force is True


def test_nbgraders_own_steps_keep_their_order() -> None:
    config = Config()
    use_secant(config)
    default_steps = [
        ClearAnswers if step is ClearSolutions else step
        for step in GenerateAssignment.preprocessors.default()
    ]
    steps = config.GenerateAssignment.preprocessors
    start = steps.index(default_steps[0])
    assert steps[start : start + len(default_steps)] == default_steps


@pytest.mark.parametrize("method", ["list", "append"])
def test_steps_of_the_course_are_kept(method: str) -> None:
    config = Config()
    if method == "list":
        config.GenerateAssignment.preprocessors = [ClearSolutions, CoursePreprocessor]
    else:
        config.GenerateAssignment.preprocessors.append(CoursePreprocessor)
    use_secant(config)
    steps = config.GenerateAssignment.preprocessors
    assert steps.count(CoursePreprocessor) == 1
    assert ClearAnswers in steps
    assert steps.index(ClearAnswers) < steps.index(CoursePreprocessor)


def test_second_call_of_use_secant_adds_no_step() -> None:
    config = Config()
    use_secant(config)
    steps = list(config.GenerateAssignment.preprocessors)
    use_secant(config)
    assert config.GenerateAssignment.preprocessors == steps


def test_repository_uses_the_same_settings() -> None:
    config, repository_config = Config(), load_config(ROOT)
    use_secant(config)
    for section, names in CHANGED_SETTINGS.items():
        assert {name: repository_config[section][name] for name in names} == dict(config[section])
