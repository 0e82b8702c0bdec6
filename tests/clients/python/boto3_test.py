"""boto3, S3's Python client, by the XML API."""

import boto3
import botocore.exceptions
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

from emulator import Emulator, content


def main() -> None:
    for signature in ("s3v4", "s3"):
        with Emulator() as emulator:
            s3 = boto3.client(
                "s3", endpoint_url=emulator.endpoint, region_name="auto", aws_access_key_id="GOOGKEY",
                aws_secret_access_key="secret",
                # As with the service itself: https://cloud.google.com/storage/docs/interoperability
                config=Config(signature_version=signature, s3={"addressing_style": "path"}, proxies={},
                              request_checksum_calculation="when_required", response_checksum_validation="when_required"))
            s3.create_bucket(Bucket="bucket")
            check_small_and_large(s3)
            check_ranges(s3)
            check_lists(s3)
            check_copies(s3)
            check_metadata(s3)
            check_conditions(s3)
            check_multipart(s3)
            check_part_copies(s3)
            check_access_lists(s3)
            check_versions(s3)
            check_deletes(s3)
            check_resumed(s3, emulator)
            empty(s3)
            s3.delete_bucket(Bucket="bucket")
    print("boto3: ok")


def read(s3, key: str, **options) -> bytes:
    return s3.get_object(Bucket="bucket", Key=key, **options)["Body"].read()


def code_of(call, **arguments) -> str:
    try:
        call(**arguments)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"]
    return ""


def check_small_and_large(s3) -> None:
    for size in (0, 1, 3_000_000):
        s3.put_object(Bucket="bucket", Key=f"sizes/{size}", Body=content(size))
        assert read(s3, f"sizes/{size}") == content(size)


def check_ranges(s3) -> None:
    s3.put_object(Bucket="bucket", Key="ranges", Body=content(1000))
    assert read(s3, "ranges", Range="bytes=10-19") == content(1000)[10:20]
    assert read(s3, "ranges", Range="bytes=-5") == content(1000)[-5:]
    assert code_of(s3.get_object, Bucket="bucket", Key="ranges", Range="bytes=1000-") == "InvalidRange"


def check_lists(s3) -> None:
    for key in ("lists/a", "lists/dir/b", "lists/ünï + %&</c", "lists/control\x01\x1f"):
        s3.put_object(Bucket="bucket", Key=key, Body=b"x")
    page = s3.list_objects_v2(Bucket="bucket", Prefix="lists/", Delimiter="/")
    assert [entry["Key"] for entry in page["Contents"]] == ["lists/a", "lists/control\x01\x1f"], page
    assert [entry["Prefix"] for entry in page["CommonPrefixes"]] == ["lists/dir/", "lists/ünï + %&</"]
    for operation in ("list_objects", "list_objects_v2"):
        pages = s3.get_paginator(operation).paginate(Bucket="bucket", Prefix="lists/", PaginationConfig={"PageSize": 1})
        assert sum(len(page.get("Contents", [])) for page in pages) == 4


def check_copies(s3) -> None:
    s3.put_object(Bucket="bucket", Key="from +", Body=b"copied")
    s3.copy_object(Bucket="bucket", Key="to", CopySource={"Bucket": "bucket", "Key": "from +"})
    assert read(s3, "to") == b"copied"


def check_metadata(s3) -> None:
    s3.put_object(Bucket="bucket", Key="described", Body=b"x", ContentType="text/css", Metadata={"color": "red"})
    for head in (s3.head_object(Bucket="bucket", Key="described"), s3.get_object(Bucket="bucket", Key="described")):
        assert head["Metadata"] == {"color": "red"} and head["ContentType"] == "text/css", head
    s3.copy_object(Bucket="bucket", Key="described", CopySource="bucket/described", MetadataDirective="REPLACE",
                   Metadata={"color": "blue"})
    assert s3.head_object(Bucket="bucket", Key="described")["Metadata"] == {"color": "blue"}


def check_conditions(s3) -> None:
    etag = s3.head_object(Bucket="bucket", Key="to")["ETag"]
    assert read(s3, "to", IfMatch=etag) == b"copied"
    assert code_of(s3.get_object, Bucket="bucket", Key="to", IfMatch='"0"') in ("PreconditionFailed", "412")
    assert code_of(s3.get_object, Bucket="bucket", Key="none") == "NoSuchKey"


def check_multipart(s3) -> None:
    config = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20, max_concurrency=3)
    with open("large", "wb") as file:
        file.write(content(12_000_001))
    s3.upload_file("large", "bucket", "large", Config=config, ExtraArgs={"Metadata": {"kind": "parts"}})
    s3.download_file("bucket", "large", "back", Config=config)
    with open("back", "rb") as file:
        assert file.read() == content(12_000_001)
    assert s3.head_object(Bucket="bucket", Key="large")["Metadata"] == {"kind": "parts"}


def check_part_copies(s3) -> None:
    upload = s3.create_multipart_upload(Bucket="bucket", Key="joined")["UploadId"]
    source = {"Bucket": "bucket", "Key": "large"}
    parts = []
    for number, limits in ((1, "0-5242879"), (2, "5242880-12000000")):
        answer = s3.upload_part_copy(Bucket="bucket", Key="joined", UploadId=upload, PartNumber=number,
                                     CopySource=source, CopySourceRange=f"bytes={limits}")
        parts.append({"PartNumber": number, "ETag": answer["CopyPartResult"]["ETag"]})
    s3.complete_multipart_upload(Bucket="bucket", Key="joined", UploadId=upload, MultipartUpload={"Parts": parts})
    assert read(s3, "joined") == content(12_000_001)
    s3.copy(source, "bucket", "managed", Config=TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20))
    assert read(s3, "managed") == content(12_000_001)


def check_access_lists(s3) -> None:
    everyone = "http://acs.amazonaws.com/groups/global/AllUsers"

    def is_public(acl) -> bool:
        return any(grant["Grantee"].get("URI") == everyone for grant in acl["Grants"])

    s3.put_object(Bucket="bucket", Key="public", Body=b"x", ACL="public-read")
    acl = s3.get_object_acl(Bucket="bucket", Key="public")
    assert is_public(acl) and acl["Owner"]["ID"], acl
    s3.put_object_acl(Bucket="bucket", Key="public", ACL="private")
    assert not is_public(s3.get_object_acl(Bucket="bucket", Key="public"))
    s3.put_object_acl(Bucket="bucket", Key="public", AccessControlPolicy={"Grants": acl["Grants"], "Owner": acl["Owner"]})
    assert is_public(s3.get_object_acl(Bucket="bucket", Key="public"))
    s3.put_bucket_acl(Bucket="bucket", ACL="public-read")
    assert is_public(s3.get_bucket_acl(Bucket="bucket"))


def check_versions(s3) -> None:
    s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
    for body in (b"1", b"2", b"3"):
        s3.put_object(Bucket="bucket", Key="versions/a", Body=body)
    pages = s3.get_paginator("list_object_versions").paginate(
        Bucket="bucket", Prefix="versions/", PaginationConfig={"PageSize": 2})
    versions = [version for page in pages for version in page["Versions"]]
    assert [read(s3, "versions/a", VersionId=version["VersionId"]) for version in versions] == [b"1", b"2", b"3"]
    assert [version["IsLatest"] for version in versions] == [False, False, True], versions
    for version in versions:
        s3.delete_object(Bucket="bucket", Key="versions/a", VersionId=version["VersionId"])
    s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Suspended"})
    assert "Versions" not in s3.list_object_versions(Bucket="bucket", Prefix="versions/")


def check_deletes(s3) -> None:
    for i in range(5):
        s3.put_object(Bucket="bucket", Key=f"deleted/{i} &", Body=b"x")
    keys = [{"Key": f"deleted/{i} &"} for i in range(5)] + [{"Key": "deleted/none"}]
    answer = s3.delete_objects(Bucket="bucket", Delete={"Objects": keys})
    assert len(answer["Deleted"]) == 6 and "Errors" not in answer, answer
    assert "Contents" not in s3.list_objects_v2(Bucket="bucket", Prefix="deleted/")


def check_resumed(s3, emulator) -> None:
    emulator.load_faults({"rules": [
        {"name": "part", "match": {"phase": "part", "nth": 2}, "action": {"type": "status", "status": 503}},
        {"name": "cut", "match": {"operation": "storage.objects.get", "nth": 1}, "action": {"type": "reset"}},
    ]})
    config = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20)
    s3.upload_file("large", "bucket", "again", Config=config)
    assert read(s3, "again") == content(12_000_001)
    assert emulator.fired("part") == 1 and emulator.fired("cut") == 1
    emulator.clear_faults()


def empty(s3) -> None:
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket="bucket"):
        s3.delete_objects(Bucket="bucket", Delete={"Objects": [{"Key": entry["Key"]} for entry in page["Contents"]]})


if __name__ == "__main__":
    main()
