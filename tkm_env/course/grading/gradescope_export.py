"""What Gradescope's export of submissions says about them: whose they are, and since when.

Needs PyYAML, of the extra ``[arena]``.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.foundations.errors import FileError, extra
from tkm_env.foundations.files import read_file

#: The file beside the folders of the submissions.
METADATA: Final = "submission_metadata.yml"


class Described(NamedTuple):
    """What Gradescope says about a submission.

    Attributes:
        students: each student's number, address and name, as far as they are there.
        submitted: when it was handed in; None if that is not there.
    """

    students: tuple[tuple[str, ...], ...]
    submitted: datetime | None


def read_metadata(path: Path) -> dict[str, Described]:
    """Read the metadata of an export.

    Args:
        path: the file, in YAML as Ruby writes it: names of keys begin with a colon.

    Returns:
        What it says, by the name of the submission's folder.

    Raises:
        FileError: if the file cannot be read, or is not such a file.
        MissingExtraError: without the extra ``[arena]``.
    """
    with extra("arena"):
        import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Reads plain values; those of Ruby's own classes are ignored."""

    Loader.add_multi_constructor("", lambda loader, suffix, node: None)
    try:
        content = yaml.load(read_file(path).decode("utf-8"), Loader)  # noqa: S506 only plain values
        return {name: _described(entry) for name, entry in content.items()}
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, TypeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise FileError(path, f"it is not what Gradescope exports: {reason}") from None


def _described(entry: Any) -> Described:
    students = tuple(
        tuple(str(student[key]) for key in (":sid", ":email", ":name") if student.get(key))
        for student in entry.get(":submitters") or ()
    )
    submitted = entry.get(":created_at")
    if isinstance(submitted, str):
        submitted = datetime.fromisoformat(submitted)
    if isinstance(submitted, datetime) and submitted.tzinfo is None:
        submitted = submitted.replace(tzinfo=UTC)
    return Described(students, submitted if isinstance(submitted, datetime) else None)
