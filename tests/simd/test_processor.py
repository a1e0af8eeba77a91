"""What the processor can do: found out, or told."""

import pytest

from waterview.simd import processor


class TestVectorWidth:
    @pytest.fixture(autouse=True)
    def nothing_wanted(self, monkeypatch):
        for variable in processor.VARIABLES:
            monkeypatch.delenv(variable, raising=False)

    @pytest.mark.parametrize(
        ("machine", "features", "expected"),
        [
            ("x86_64", {"avx512f": True, "avx2": True, "sse2": True}, 16),
            ("AMD64", {"avx512f": False, "avx2": True, "sse2": True}, 8),
            ("x86_64", {"avx": True, "sse2": True}, 4),
            ("arm64", {}, 4),
            ("aarch64", {"neon": True}, 4),
            ("riscv64", {}, 4),
        ],
    )
    def test_they_follow_from_the_processor(self, monkeypatch, machine, features, expected):
        monkeypatch.setattr(processor.platform, "machine", lambda: machine)
        monkeypatch.setattr(processor, "processor_features", lambda: features)
        assert processor.vector_width() == expected

    @pytest.mark.parametrize("variable", processor.VARIABLES)
    @pytest.mark.parametrize(("wanted", "expected"), [("16", 16), ("8", 8), ("4", 4)])
    def test_the_environment_comes_first(self, monkeypatch, variable, wanted, expected):
        monkeypatch.setenv(variable, wanted)
        assert processor.vector_width() == expected

    @pytest.mark.parametrize("nonsense", ["", "1", "3", "many"])
    def test_nonsense_in_the_environment_is_passed_over(self, monkeypatch, nonsense):
        usual = processor.vector_width()
        monkeypatch.setenv(processor.VARIABLES[0], nonsense)
        assert processor.vector_width() == usual

    def test_a_processor_that_numba_was_told_to_compile_for_counts(self, monkeypatch):
        monkeypatch.setattr(processor.config, "CPU_FEATURES", "+avx2,-avx512f,+fma")
        assert processor.processor_features() == {"avx2": True, "avx512f": False, "fma": True}
        monkeypatch.setattr(processor.config, "CPU_FEATURES", None)
        monkeypatch.setattr(processor.config, "CPU_NAME", "generic")
        assert processor.processor_features() == {}

    def test_an_unknown_processor_has_no_features(self, monkeypatch):
        def unknown():
            raise RuntimeError("no features for this processor")

        monkeypatch.setattr(processor.llvmlite.binding, "get_host_cpu_features", unknown)
        assert processor.processor_features() == {}
