"""gcsfs, as Dask, pandas and PyTorch's users open gs:// with it."""

import os
import tempfile

# By default it asks for a bucket's layout by gRPC, which is not served here, and asks again for a minute. It is read when
# the module is.
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"

import gcsfs  # noqa: E402

from emulator import Emulator, content  # noqa: E402


def main() -> None:
    with Emulator() as emulator:
        os.environ["STORAGE_EMULATOR_HOST"] = emulator.endpoint
        emulator.make_bucket("bucket")
        fs = gcsfs.GCSFileSystem(project="test", token="anon", endpoint_url=emulator.endpoint, cache_timeout=0)
        check_small_and_large(fs)
        check_ranges(fs)
        check_lists(fs)
        check_copies_and_moves(fs)
        check_metadata(fs)
        check_trees(fs)
        check_resumed(fs, emulator)
    print("gcsfs: ok")


def check_small_and_large(fs) -> None:
    for size in (0, 1, 5_000_000, 12_000_001):
        data = content(size)
        with fs.open(f"bucket/sizes/{size}", "wb", block_size=5 * 2**20) as file:
            file.write(data)
        assert fs.cat_file(f"bucket/sizes/{size}") == data, size
        assert fs.info(f"bucket/sizes/{size}")["size"] == size
    # What ends like a line of the framing stays as it is.
    for data in (b"a\n", b"a\r\n", b"a\r", b"\n"):
        fs.pipe_file("bucket/lines", data)
        assert fs.cat_file("bucket/lines") == data, data


def check_ranges(fs) -> None:
    data = content(3_000_000)
    fs.pipe_file("bucket/ranges", data)
    assert fs.cat_file("bucket/ranges", start=100, end=1_000_100) == data[100:1_000_100]
    assert fs.cat_file("bucket/ranges", start=-7) == data[-7:]
    with fs.open("bucket/ranges", "rb", block_size=65536) as file:
        file.seek(2_000_000)
        assert file.read(100_000) == data[2_000_000:2_100_000]


def check_lists(fs) -> None:
    for name in ("lists/a", "lists/dir/b", "lists/dir/c", "lists/ünï + %/d"):
        fs.pipe_file(f"bucket/{name}", b"x")
    assert sorted(fs.ls("bucket/lists", detail=False)) == ["bucket/lists/a", "bucket/lists/dir", "bucket/lists/ünï + %"]
    assert len(fs.find("bucket/lists")) == 4
    assert fs.glob("bucket/lists/dir/*") == ["bucket/lists/dir/b", "bucket/lists/dir/c"]
    assert fs.isdir("bucket/lists/dir") and not fs.exists("bucket/lists/none")


def check_copies_and_moves(fs) -> None:
    fs.pipe_file("bucket/from", b"moved")
    fs.copy("bucket/from", "bucket/copied")
    fs.mv("bucket/from", "bucket/moved")
    assert fs.cat_file("bucket/copied") == b"moved" and fs.cat_file("bucket/moved") == b"moved"
    assert not fs.exists("bucket/from")
    fs.merge("bucket/merged", ["bucket/copied", "bucket/moved"])
    fs.invalidate_cache()
    assert fs.cat_file("bucket/merged") == b"movedmoved"


def check_metadata(fs) -> None:
    fs.pipe_file("bucket/described", b"x", metadata={"color": "red"}, content_type="text/css")
    assert fs.getxattr("bucket/described", "color") == "red"
    fs.setxattrs("bucket/described", content_type="text/plain", color="blue")
    fs.invalidate_cache()
    info = fs.info("bucket/described")
    assert info["contentType"] == "text/plain" and info["metadata"] == {"color": "blue"}, info
    try:
        fs.pipe_file("bucket/described", b"y", mode="create")
        raise AssertionError("it replaced what is there")
    except FileExistsError:
        pass


def check_trees(fs) -> None:
    with tempfile.TemporaryDirectory() as directory:
        os.makedirs(f"{directory}/up/sub")
        for name in ("one", "sub/two", "sub/three"):
            with open(f"{directory}/up/{name}", "wb") as file:
                file.write(content(100_000) + name.encode())
        fs.put(f"{directory}/up/", "bucket/tree/", recursive=True)
        fs.get("bucket/tree/", f"{directory}/down/", recursive=True)
        for name in ("one", "sub/two", "sub/three"):
            with open(f"{directory}/down/{name}", "rb") as file:
                assert file.read() == content(100_000) + name.encode()
    fs.rm("bucket/tree", recursive=True)
    assert fs.find("bucket/tree") == []


def check_resumed(fs, emulator) -> None:
    # The last chunk fails once; the client asks for the state, or sends it again.
    emulator.load_faults({"rules": [{
        "name": "once",
        "match": {"operation": "storage.objects.insert", "phase": "final", "nth": 1},
        "action": {"type": "status", "status": 503},
    }]})
    data = content(12_000_000)
    with fs.open("bucket/resumed", "wb", block_size=5 * 2**20) as file:
        file.write(data)
    assert emulator.fired("once") == 1
    assert fs.cat_file("bucket/resumed") == data
    emulator.clear_faults()


if __name__ == "__main__":
    main()
