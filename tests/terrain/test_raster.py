import pytest

from waterview.core.errors import TerrainError
from waterview.terrain.raster import MAX_SIDE, check_shape, decimated_shape, one_line, refusal


def test_decimation_keeps_proportions():
    assert decimated_shape((100, 200), 2048) == (100, 200)
    assert decimated_shape((30_000, 15_000), 2048) == (2048, 1024)
    assert decimated_shape((65_536, 2), 100) == (100, 2)


def refused(nx, nz):
    with pytest.raises(TerrainError) as caught:
        check_shape("a", nx, nz)
    return str(caught.value)


def test_shapes_are_judged_before_memory_is_taken():
    check_shape("a", 2, MAX_SIDE)
    assert "each side needs at least 2" in refused(1, 500)
    assert "at most 65,536 a side" in refused(500, MAX_SIDE + 1)


def test_messages_stay_on_one_line():
    assert one_line("a\nb\x1b[31mé") == "a\\nb\\x1b[31mé"
    assert str(refusal("x\ny.png", "was\nbad", "do\tthis")) == "x\\ny.png: was\\nbad; do\\tthis"
