"""Google's Python client: its transfer manager where it has one for the row."""

import io
import os
import tempfile

import torch_loader
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from google.cloud.storage import transfer_manager

CONNECTIONS = 64  # that a process keeps: as many as threads are tried
PROCESSES = 8  # its default
CHUNK = 32 << 20  # its default


class Peer:
    CANNOT = {}

    def __init__(self, endpoint):
        os.environ["STORAGE_EMULATOR_HOST"] = endpoint  # for its processes too
        self._client = storage.Client(project="peers", credentials=AnonymousCredentials())
        adapter = self._client._http.get_adapter(endpoint)  # it would keep 10 of them
        adapter.init_poolmanager(CONNECTIONS, CONNECTIONS)

    def read_small(self, bucket, names, at_once):
        files = [(self._client.bucket(bucket).blob(name), io.BytesIO()) for name in names]
        transfer_manager.download_many(files, worker_type=transfer_manager.THREAD, max_workers=at_once, raise_exception=True)
        return [file.getvalue() for _, file in files]

    def read_large(self, bucket, name, _size, processes):
        with self._file_in_memory() as file:
            self._download(bucket, name, file.name, processes)
            return file.read()

    @staticmethod
    def make_loader(make_peer, bucket, names, batch, workers):
        return torch_loader.of_reads(make_peer, bucket, names, batch, workers)

    def list_names(self, bucket):
        return [blob.name for blob in self._client.list_blobs(bucket, page_size=5000, fields="items(name),nextPageToken")]

    def open_to_write(self, bucket, name):
        return _UploadedFile(self._client.bucket(bucket).blob(name), self._file_in_memory())

    def open_to_read(self, bucket, name):
        file = self._file_in_memory()
        self._download(bucket, name, file.name)
        return file

    def upload(self, directory, names, bucket, processes):
        transfer_manager.upload_many_from_filenames(self._client.bucket(bucket), names, source_directory=directory,
                                                    max_workers=processes, raise_exception=True)

    def _download(self, bucket, name, path, processes=PROCESSES):
        transfer_manager.download_chunks_concurrently(self._client.bucket(bucket).blob(name), path, chunk_size=CHUNK,
                                                      max_workers=processes)

    @staticmethod
    def _file_in_memory():
        """Its chunks go to and from files only."""
        return tempfile.NamedTemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)


class _UploadedFile:
    """A file that is uploaded when it is complete."""

    def __init__(self, blob, file):
        self._blob, self._file = blob, file

    def __enter__(self):
        return self._file

    def __exit__(self, failure, *_):
        self._file.flush()
        if failure is None:
            transfer_manager.upload_chunks_concurrently(self._file.name, self._blob, chunk_size=CHUNK, max_workers=PROCESSES)
        self._file.close()
