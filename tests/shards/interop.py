#!/usr/bin/env python3
"""Shards of GNU tar, bsdtar and Python's tarfile are read alike, and ours are read by all three.

tests/shards/interop.py BIN_DIR. Exit status 77: bsdtar is missing, so nothing was run.
"""
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

BIN = pathlib.Path(sys.argv[1])
LONG = 'd' * 90 + '/' + 'e' * 90 + '/' + 'f' * 90
FILES = {
    'cat/0001.jpg': os.urandom(70_000),
    'cat/0001.cls': b'1',
    'cat/0002.jpg': b'',
    'cat/0002.seg.png': os.urandom(512),
    'dog.of.paul/0003.txt': 'ä'.encode(),
    'zoo/löwe.txt': b'lion',
}
LONG_FILES = FILES | {f'{LONG}/{"n" * 120}.txt': b'a long name', f'{"p" * 120}/{"q" * 90}.txt': b'for the prefix of ustar'}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f'FAIL: {command}: status {done.returncode}\n{done.stderr.decode()[-2000:]}')
    return done.stdout


def write_tree(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def python_tar(files, tar_format):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tar_format) as archive:
        for name in sorted(files):
            info = tarfile.TarInfo(name)
            info.size = len(files[name])
            info.mtime = 1_700_000_000
            archive.addfile(info, io.BytesIO(files[name]))
    return out.getvalue()


def archives(trees):
    """Name, bytes and files of archives by all three programs, in all their formats."""
    short, long = trees['short'], trees['long']
    utf8 = os.environ | {'LC_ALL': 'C.UTF-8'}
    for tar_format, tree in (('v7', short), ('ustar', short), ('gnu', long), ('oldgnu', long), ('posix', long)):
        yield f'gnutar-{tar_format}', run('tar', f'--format={tar_format}', '--sort=name', '-cf', '-', '.', cwd=tree)
    for tar_format, tree in (('ustar', short), ('pax', long), ('gnutar', long)):
        names = sorted(path.relative_to(tree) for path in tree.rglob('*') if path.is_file())  # It does not sort.
        yield f'bsdtar-{tar_format}', run('bsdtar', f'--format={tar_format}', '-cf', '-', *names, cwd=tree, env=utf8)
    yield 'python-ustar', python_tar(FILES, tarfile.USTAR_FORMAT)
    yield 'python-gnu', python_tar(LONG_FILES, tarfile.GNU_FORMAT)
    yield 'python-pax', python_tar(LONG_FILES, tarfile.PAX_FORMAT)


def read_by_all(shard, scratch):
    """What each program reads of a tar file."""
    with tarfile.open(shard, mode='r:') as archive:
        yield 'python', {member.name: archive.extractfile(member).read() for member in archive if member.isreg()}
    for program in ('tar', 'bsdtar'):
        into = scratch / f'by-{program}'
        into.mkdir()
        run(program, '-xf', shard, '-C', into, env=os.environ | {'LC_ALL': 'C.UTF-8'})
        yield program, {str(path.relative_to(into)): path.read_bytes() for path in into.rglob('*') if path.is_file()}
        shutil.rmtree(into)


def test(work):
    gcsflux = BIN / 'gcsflux'
    trees = {'short': work / 'short', 'long': work / 'long'}
    write_tree(trees['short'], FILES)
    write_tree(trees['long'], LONG_FILES)
    run(gcsflux, 'mb', 'gs://bkt')
    checks = 0
    for name, content in archives(trees):
        files = FILES if name.endswith(('ustar', 'v7')) else LONG_FILES
        run(gcsflux, 'cp', '-', f'gs://bkt/{name}/0.tar', input=content)
        run(gcsflux, 'shards', 'index', f'gs://bkt/{name}/')
        run(gcsflux, 'shards', 'unpack', f'gs://bkt/{name}/', f'gs://bkt/un/{name}/')
        listed = [json.loads(line) for line in run(gcsflux, 'shards', 'ls', '--json', f'gs://bkt/{name}/').splitlines()]
        sizes = {entry['name'].split('/0.tar/')[1].removeprefix('./'): entry['size'] for entry in listed}
        if sizes != {key: len(value) for key, value in files.items()}:
            sys.exit(f'FAIL: {name}: {sizes}')
        back = work / f'back-{name}'
        run(gcsflux, 'cp', '-r', f'gs://bkt/un/{name}/', back)
        got = {str(path.relative_to(back)): path.read_bytes() for path in back.rglob('*') if path.is_file()}
        if {key.removeprefix(name + '/'): value for key, value in got.items()} != files:
            sys.exit(f'FAIL: {name}: other contents: {sorted(got)}')
        checks += 1
    run(gcsflux, 'cp', '-r', f'{trees["long"]}/', 'gs://bkt/from/')
    run(gcsflux, 'shards', 'pack', 'gs://bkt/from/long/', 'gs://bkt/to/%d.tar')
    run(gcsflux, 'cp', 'gs://bkt/to/0.tar', work / 'ours.tar')
    for program, read in read_by_all(work / 'ours.tar', work):
        if read != LONG_FILES:
            sys.exit(f'FAIL: {program} reads {sorted(read)} of our shard')
        checks += 1
    print(f'{checks} archives read alike')


def main():
    if not shutil.which('bsdtar'):
        print('SKIPPED: there is no bsdtar (apt-get install libarchive-tools)')
        sys.exit(1 if os.environ.get('CI') else 77)
    with tempfile.TemporaryDirectory() as work, subprocess.Popen(
            [BIN / 'gcsflux-emulator', '--port=0'], stdout=subprocess.PIPE, text=True) as emulator:
        try:
            os.environ['STORAGE_EMULATOR_HOST'] = emulator.stdout.readline().split()[-1]
            os.environ['GOOGLE_CLOUD_PROJECT'] = 'test'
            test(pathlib.Path(work))
        finally:
            emulator.terminate()


main()
