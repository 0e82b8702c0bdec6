"""gcsflux.fs: what gcsfs's users expect of a file system."""

from __future__ import annotations

import asyncio
import datetime
import pickle

import fsspec
import pytest
from fsspec.implementations.asyn_wrapper import AsyncFileSystemWrapper

import gcsflux
import gcsflux.fs


@pytest.fixture
def fs(gcsflux_emulator, gcsflux_bucket):
    return gcsflux.fs.GCSFluxFileSystem(skip_instance_cache=True, **gcsflux_emulator.storage_options())


@pytest.fixture
def tree(fs):
    fs.pipe({f"test-bucket/{name}": name.encode() for name in ("a", "dir/b", "dir/c", "dir/sub/d", "dir.txt")})
    return fs


def test_info_of_files_directories_and_buckets(tree):
    entry = tree.info("gcsflux://test-bucket/dir/b")
    assert (entry["name"], entry["size"], entry["type"]) == ("test-bucket/dir/b", 5, "file")
    assert entry["generation"] == tree.client.stat("test-bucket/dir/b").generation
    assert entry["mtime"].tzinfo is datetime.timezone.utc
    for name in ("test-bucket/dir", "gs://test-bucket/dir/", "test-bucket", ""):
        assert tree.info(name)["type"] == "directory" and tree.isdir(name), name
    for name in ("test-bucket/di", "test-bucket/dir/b/x", "no-such-bucket", "no-such-bucket/x"):
        assert not tree.exists(name), name
        with pytest.raises(FileNotFoundError):
            tree.info(name)


def test_an_old_generation_is_found(gcsflux_client, fs):
    first = gcsflux_client.write("test-bucket/a", b"1")
    assert fs.info("test-bucket/a", generation=first.generation)["size"] == 1
    gcsflux_client.write("test-bucket/a", b"22")
    with pytest.raises(FileNotFoundError):
        fs.info("test-bucket/a", generation=first.generation)
    with pytest.raises(FileNotFoundError):
        fs.open("test-bucket/a", generation=first.generation)


def test_ls(tree):
    assert tree.ls("test-bucket", detail=False) == ["test-bucket/a", "test-bucket/dir", "test-bucket/dir.txt"]
    assert tree.ls("test-bucket/dir/", detail=False) == ["test-bucket/dir/b", "test-bucket/dir/c", "test-bucket/dir/sub"]
    assert [entry["name"] for entry in tree.ls("test-bucket/dir/b")] == ["test-bucket/dir/b"]
    assert tree.ls("", detail=False) == ["test-bucket"]
    with pytest.raises(FileNotFoundError):
        tree.ls("test-bucket/none")


def test_listings_are_cached_until_something_changes(tree, gcsflux_client):
    before = tree.ls("test-bucket/dir", detail=False)
    gcsflux_client.write("test-bucket/dir/other", b"x")
    assert tree.ls("test-bucket/dir", detail=False) == before
    assert "test-bucket/dir/other" in tree.ls("test-bucket/dir", detail=False, refresh=True)
    for change in (
        lambda: tree.pipe_file("test-bucket/dir/new", b"x"),
        lambda: tree.mv("test-bucket/dir/new", "test-bucket/dir/newer"),
        lambda: tree.cp_file("test-bucket/a", "test-bucket/dir/copy"),
        lambda: tree.rm("test-bucket/dir/copy"),
        lambda: tree.rm("test-bucket/dir/sub", recursive=True),
    ):
        cached = tree.ls("test-bucket/dir", detail=False)
        change()
        assert tree.ls("test-bucket/dir", detail=False) != cached


def test_find_walk_glob_and_du(tree):
    assert tree.find("test-bucket/dir") == ["test-bucket/dir/b", "test-bucket/dir/c", "test-bucket/dir/sub/d"]
    assert tree.find("test-bucket/dir", maxdepth=1) == ["test-bucket/dir/b", "test-bucket/dir/c"]
    assert tree.find("test-bucket/dir", withdirs=True)[:2] == ["test-bucket/dir", "test-bucket/dir/b"]
    assert tree.find("test-bucket/dir/b") == ["test-bucket/dir/b"]
    assert tree.find("test-bucket/dir", prefix="s") == ["test-bucket/dir/sub/d"]
    assert tree.find("test-bucket/none") == []
    assert list(tree.walk("test-bucket/dir")) == [("test-bucket/dir", ["sub"], ["b", "c"]), ("test-bucket/dir/sub", [], ["d"])]
    assert tree.glob("test-bucket/dir/*") == ["test-bucket/dir/b", "test-bucket/dir/c", "test-bucket/dir/sub"]
    assert tree.glob("test-bucket/**/d") == ["test-bucket/dir/sub/d"]
    assert tree.glob("test-bucket/dir/[bx]") == ["test-bucket/dir/b"]
    assert tree.du("test-bucket/dir") == 19
    assert tree.du("test-bucket/dir", total=False)["test-bucket/dir/sub/d"] == 9


def test_cat(tree):
    assert tree.cat("test-bucket/a") == b"a"
    assert tree.cat(["test-bucket/a", "test-bucket/dir/b"]) == {"test-bucket/a": b"a", "test-bucket/dir/b": b"dir/b"}
    assert len(tree.cat("test-bucket/dir", recursive=True)) == 3
    assert len(tree.cat("test-bucket/dir/*")) == 2
    names = ["test-bucket/a", "test-bucket/none"]
    assert tree.cat(names, on_error="omit") == {"test-bucket/a": b"a"}
    assert isinstance(tree.cat(names, on_error="return")["test-bucket/none"], FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        tree.cat(names)


def test_cat_file_and_cat_ranges_are_slices(fs):
    data = bytes(range(100))
    fs.pipe_file("test-bucket/a", data)
    for start, end in ((None, None), (10, 20), (-7, None), (5, -5), (90, 200), (100, 110), (20, 10)):
        assert fs.cat_file("test-bucket/a", start, end) == data[start:end], (start, end)
    names = ["test-bucket/a", "test-bucket/none", "test-bucket/a"]
    first, gone, last = fs.cat_ranges(names, [0, 1, -5], [10, 2, None])
    assert (first, last) == (data[:10], data[-5:]) and isinstance(gone, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        fs.cat_ranges(names, 0, 1, on_error="raise")


def test_files_are_read_in_blocks(fs, gcsflux_emulator):
    data = bytes(range(256)) * 4_000
    fs.pipe_file("test-bucket/a", data)
    with fs.open("test-bucket/a", "rb", block_size=100_000, cache_type="blockcache") as file:
        file.seek(500_000)
        assert file.read(10) == data[500_000:500_010]
        fs.client.write("test-bucket/a", b"other")
        assert file.read(10) == data[500_010:500_020]
    with fs.open("test-bucket/a") as file:
        assert file.read() == b"other" and pickle.loads(pickle.dumps(file)).read() == b""
    with fs.open("test-bucket/text", "w") as file:
        file.write("one\ntwo\n")
    with fs.open("test-bucket/text", "r") as file:
        assert list(file) == ["one\n", "two\n"]


def test_files_are_written_whole_or_not_at_all(fs):
    data = bytes(20_000_000)
    with fs.open("test-bucket/a", "wb", content_type="image/png") as file:
        file.write(data)
        assert not fs.exists("test-bucket/a")
    assert fs.info("test-bucket/a")["size"] == len(data) and fs.info("test-bucket/a")["contentType"] == "image/png"
    with fs.open("test-bucket/empty", "wb"):
        pass
    assert fs.cat_file("test-bucket/empty") == b""
    with pytest.raises(ZeroDivisionError), fs.open("test-bucket/never", "wb") as file:
        file.write(b"x")
        _ = 1 / 0
    assert not fs.exists("test-bucket/never")
    with pytest.raises(NotImplementedError):
        fs.open("test-bucket/a", "ab")


def test_a_transaction_is_seen_at_its_end_or_never(fs):
    with fs.transaction:
        fs.pipe_file("test-bucket/a", b"1")
        with fs.open("test-bucket/b", "wb") as file:
            file.write(b"2")
        assert not fs.exists("test-bucket/a") and not fs.exists("test-bucket/b")
    assert fs.cat_file("test-bucket/a") == b"1" and fs.cat_file("test-bucket/b") == b"2"
    with pytest.raises(ZeroDivisionError), fs.transaction:
        fs.pipe_file("test-bucket/c", b"1")
        _ = 1 / 0
    assert fs.ls("test-bucket", detail=False) == ["test-bucket/a", "test-bucket/b"]


def test_trees_are_put_got_copied_moved_and_removed(fs, tmp_path):
    local = tmp_path / "up"
    (local / "sub").mkdir(parents=True)
    for name in ("one", "sub/two"):
        (local / name).write_bytes(name.encode())
    fs.put(f"{local}/", "test-bucket/tree/", recursive=True)
    assert fs.find("test-bucket/tree") == ["test-bucket/tree/one", "test-bucket/tree/sub/two"]
    fs.get("test-bucket/tree/", f"{tmp_path}/down/", recursive=True)
    assert (tmp_path / "down/sub/two").read_bytes() == b"sub/two"
    fs.get_file("test-bucket/tree/one", tmp_path / "new/one")
    fs.copy("test-bucket/tree/", "test-bucket/copy/", recursive=True)
    fs.mv("test-bucket/tree/", "test-bucket/moved/", recursive=True)
    assert fs.find("test-bucket/tree") == []
    assert fs.find("test-bucket/moved") == ["test-bucket/moved/one", "test-bucket/moved/sub/two"]
    fs.mkdir("other-bucket")
    fs.mv("test-bucket/moved/one", "other-bucket/one")
    assert fs.cat_file("other-bucket/one") == b"one" and not fs.exists("test-bucket/moved/one")
    fs.client.write("test-bucket/copy/empty/", b"")  # A marker, as some tools store it.
    fs.rm("test-bucket/copy", recursive=True)
    assert fs.client.list("test-bucket/copy") == []
    fs.rm("other-bucket", recursive=True)
    assert fs.ls("", detail=False) == ["test-bucket"]
    with pytest.raises(FileNotFoundError):
        fs.rm("test-bucket/none")
    with pytest.raises(FileNotFoundError):
        fs.mv("test-bucket/none", "test-bucket/other")


def test_buckets_are_the_only_directories(fs):
    fs.mkdir("test-bucket/some/dir")
    assert not fs.exists("test-bucket/some")
    with pytest.raises(FileNotFoundError):
        fs.mkdir("new-bucket/dir", create_parents=False)
    fs.makedirs("new-bucket/dir")
    fs.makedirs("new-bucket", exist_ok=True)
    with pytest.raises(FileExistsError):
        fs.makedirs("new-bucket")
    fs.rmdir("new-bucket")
    assert not fs.exists("new-bucket")


def test_metadata_merge_and_touch(fs):
    fs.pipe_file("test-bucket/a", b"1", metadata={"color": "red"})
    assert fs.getxattr("test-bucket/a", "color") == "red"
    assert fs.setxattrs("test-bucket/a", content_type="text/css", color=None, size="1") == {"size": "1"}
    fs.pipe_file("test-bucket/b", b"2")
    fs.merge("test-bucket/ab", ["test-bucket/a", "test-bucket/b"])
    assert fs.cat_file("test-bucket/ab") == b"12"
    fs.touch("test-bucket/a")
    assert fs.cat_file("test-bucket/a") == b"" and fs.created("test-bucket/a") <= fs.modified("test-bucket/a")
    with pytest.raises(NotImplementedError):
        fs.touch("test-bucket/a", truncate=False)
    before = fs.checksum("test-bucket/b")
    fs.pipe_file("test-bucket/b", b"2")
    assert fs.checksum("test-bucket/b") != before
    with pytest.raises(FileExistsError):
        fs.pipe_file("test-bucket/b", b"3", mode="create")


def test_options_of_gcsfs_are_taken(gcsflux_emulator, gcsflux_bucket):
    fs = gcsflux.fs.GCSFluxFileSystem(
        project="test", token="anon", endpoint_url=gcsflux_emulator.endpoint, use_listings_cache=False
    )
    fs.pipe_file("test-bucket/a", b"1")
    assert fs.ls("test-bucket", detail=False) == ["test-bucket/a"]
    assert pickle.loads(pickle.dumps(fs)).cat_file("test-bucket/a") == b"1"
    with pytest.raises(TypeError, match="retries"):
        gcsflux.fs.GCSFluxFileSystem(retries=3)


def test_fsspec_opens_urls(gcsflux_emulator, gcsflux_bucket, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", gcsflux_emulator.endpoint)
    gcsflux.fs.register()
    for scheme in ("gs", "gcs", "gcsflux"):
        fsspec.filesystem(scheme, skip_instance_cache=True)
        with fsspec.open(f"{scheme}://test-bucket/{scheme}", "wb", skip_instance_cache=True) as file:
            file.write(scheme.encode())
        assert type(file.fs if hasattr(file, "fs") else file).__module__.startswith("gcsflux")
        with fsspec.open(f"{scheme}://test-bucket/{scheme}", skip_instance_cache=True) as file:
            assert file.read() == scheme.encode()


def test_a_coroutine_uses_the_wrapper_of_fsspec(tree):
    wrapped = AsyncFileSystemWrapper(tree, asynchronous=True)

    async def use():
        contents = await asyncio.gather(*[wrapped._cat_file("test-bucket/a") for _ in range(20)])
        return contents, await wrapped._find("test-bucket/dir")

    contents, found = asyncio.run(use())
    assert contents == [b"a"] * 20 and len(found) == 3
