"""Libraries that read and write gcsflux:// URLs over fsspec."""

from __future__ import annotations

import pytest

import gcsflux.fs

pytestmark = pytest.mark.peers


@pytest.fixture
def options(gcsflux_emulator, gcsflux_bucket):
    gcsflux.fs.register()
    return gcsflux_emulator.storage_options()


def test_pandas(options):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    frame.to_csv("gcsflux://test-bucket/frame.csv", index=False, storage_options=options)
    assert pandas.read_csv("gcsflux://test-bucket/frame.csv", storage_options=options).equals(frame)
    frame.to_parquet("gs://test-bucket/frame.parquet", storage_options=options)
    assert pandas.read_parquet("gs://test-bucket/frame.parquet", storage_options=options).equals(frame)


def test_pyarrow(options):
    pyarrow = pytest.importorskip("pyarrow")
    dataset = pytest.importorskip("pyarrow.dataset")
    fs = gcsflux.fs.GCSFluxFileSystem(**options)
    table = pyarrow.table({"key": [0, 0, 1], "value": [1, 2, 3]})
    dataset.write_dataset(
        table, "test-bucket/data", filesystem=fs, format="parquet", partitioning=["key"], partitioning_flavor="hive"
    )
    read = dataset.dataset("test-bucket/data", filesystem=fs, format="parquet", partitioning="hive")
    assert sorted(read.to_table()["value"].to_pylist()) == [1, 2, 3]


def test_polars(options):
    polars = pytest.importorskip("polars")
    fs = gcsflux.fs.GCSFluxFileSystem(**options)
    frame = polars.DataFrame({"a": [1, 2, 3]})
    with fs.open("test-bucket/frame.parquet", "wb") as file:
        frame.write_parquet(file)
    with fs.open("test-bucket/frame.parquet", "rb") as file:
        assert polars.read_parquet(file).equals(frame)


def test_zarr(options):
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array("gcsflux://test-bucket/array.zarr", shape=(100, 100), chunks=(10, 10), dtype="i4",
                              storage_options=options)
    array[:] = 7
    again = zarr.open_array("gcsflux://test-bucket/array.zarr", mode="r", storage_options=options)
    assert int(again[:].sum()) == 70_000


def test_universal_pathlib(options):
    upath = pytest.importorskip("upath")
    path = upath.UPath("gcsflux://test-bucket/dir", **options)
    (path / "file").write_text("text")
    assert (path / "file").read_text() == "text" and [found.name for found in path.iterdir()] == ["file"]
    assert (path / "file").stat().st_size == 4 and path.is_dir()
    (path / "file").unlink()
    assert not (path / "file").exists()
