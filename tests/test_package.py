"""The package's own shape: small modules, and no file of the checkout opened."""

from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "bfsql_rdf"


def test_modules_stay_small() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path


def test_the_package_reads_no_file_of_the_checkout() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "ontology/" not in text
        assert "queries/" not in text
