# Every source of gcsflux::emulator.
set(EMULATOR_SOURCES
  emulator/src/emulator.cc
  # what is stored, no HTTP
  emulator/src/store/body.cc
  emulator/src/store/bucket.cc
  emulator/src/store/crc32c.cc
  emulator/src/store/listing.cc
  emulator/src/store/md5.cc
  emulator/src/store/multipart_uploads.cc
  emulator/src/store/names.cc
  emulator/src/store/object_cursor.cc
  emulator/src/store/preconditions.cc
  emulator/src/store/resumable_sessions.cc
  emulator/src/store/rope.cc
  emulator/src/store/seed_bucket.cc
  emulator/src/store/store.cc
  # what its traffic was like
  emulator/src/traffic/client_attempt.cc
  emulator/src/traffic/clock.cc
  emulator/src/traffic/journal.cc
  emulator/src/traffic/metrics.cc
  emulator/src/traffic/redact_target.cc
  emulator/src/traffic/request_counters.cc
  # who is who, and who may do what; no HTTP
  emulator/src/identity/assertion.cc
  emulator/src/identity/base64url.cc
  emulator/src/identity/config.cc
  emulator/src/identity/identity.cc
  emulator/src/identity/json_fields.cc
  emulator/src/identity/jwt.cc
  emulator/src/identity/permissions.cc
  emulator/src/identity/rsa_public_key.cc
  emulator/src/identity/tokens.cc
  # HTTP/1.1
  emulator/src/server/body_reader.cc
  emulator/src/server/http_codec.cc
  emulator/src/server/http_message.cc
  emulator/src/server/http_server.cc
  emulator/src/server/listener.cc
  emulator/src/server/receive_body.cc
  emulator/src/server/shielded_head.cc
  emulator/src/server/socket_stream.cc
  emulator/src/server/tls_context.cc
  emulator/src/server/tls_session.cc
  # beside the APIs
  emulator/src/server/admin_endpoints.cc
  emulator/src/server/seed_request.cc
  emulator/src/server/traffic_json.cc
  emulator/src/server/traffic_recorder.cc
  # the JSON API
  emulator/src/server/api_call.cc
  emulator/src/server/api_error.cc
  emulator/src/server/base64.cc
  emulator/src/server/bucket_endpoints.cc
  emulator/src/server/byte_range.cc
  emulator/src/server/commit_upload.cc
  emulator/src/server/content_range.cc
  emulator/src/server/field_mask.cc
  emulator/src/server/gunzip.cc
  emulator/src/server/hash_text.cc
  emulator/src/server/json_error.cc
  emulator/src/server/json_writer.cc
  emulator/src/server/media_response.cc
  emulator/src/server/multipart.cc
  emulator/src/server/object_endpoints.cc
  emulator/src/server/operation_name.cc
  emulator/src/server/page_token.cc
  emulator/src/server/resource_json.cc
  emulator/src/server/resource_requests.cc
  emulator/src/server/resumable_endpoints.cc
  emulator/src/server/router.cc
  emulator/src/server/service.cc
  emulator/src/server/target.cc
  emulator/src/server/time_format.cc
  emulator/src/server/upload_endpoints.cc
  emulator/src/server/upload_hashes.cc)
