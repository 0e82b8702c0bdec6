# Every source of gcsflux::emulator.
set(EMULATOR_SOURCES
  emulator/src/emulator.cc
  # what is stored, no HTTP
  emulator/src/store/attribute_rules.cc
  emulator/src/store/body.cc
  emulator/src/store/bucket.cc
  emulator/src/store/crc32c.cc
  emulator/src/store/customer_key.cc
  emulator/src/store/glob.cc
  emulator/src/store/listing.cc
  emulator/src/store/md5.cc
  emulator/src/store/multipart_uploads.cc
  emulator/src/store/names.cc
  emulator/src/store/object_cursor.cc
  emulator/src/store/preconditions.cc
  emulator/src/store/resumable_sessions.cc
  emulator/src/store/rope.cc
  emulator/src/store/seed_bucket.cc
  emulator/src/store/storage_class.cc
  emulator/src/store/store.cc
  # what its traffic was like
  emulator/src/traffic/client_attempt.cc
  emulator/src/traffic/clock.cc
  emulator/src/traffic/journal.cc
  emulator/src/traffic/journal_queries.cc
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
  # buckets that are computed
  emulator/src/virtual/computed_content.cc
  emulator/src/virtual/counter_names.cc
  emulator/src/virtual/directory_names.cc
  emulator/src/virtual/hex_names.cc
  emulator/src/virtual/name_set.cc
  emulator/src/virtual/parse_virtual_buckets.cc
  emulator/src/virtual/utf8_names.cc
  emulator/src/virtual/virtual_buckets.cc
  emulator/src/virtual/virtual_objects.cc
  # HTTP/1.1
  emulator/src/server/body_reader.cc
  emulator/src/server/http_codec.cc
  emulator/src/server/http_message.cc
  emulator/src/server/http_server.cc
  emulator/src/server/listener.cc
  emulator/src/server/pace.cc
  emulator/src/server/paced_socket.cc
  emulator/src/server/md5_follower.cc
  emulator/src/server/receive_body.cc
  emulator/src/server/shielded_head.cc
  emulator/src/server/socket_stream.cc
  emulator/src/server/tls_context.cc
  emulator/src/server/tls_session.cc
  # what happens to requests on a real network and a busy service
  emulator/src/retry_tests/retry_instruction.cc
  emulator/src/retry_tests/retry_methods.cc
  emulator/src/retry_tests/retry_tests.cc
  emulator/src/server/peeked_body.cc
  emulator/src/server/traffic/error_answer.cc
  emulator/src/server/traffic/request_preview.cc
  emulator/src/server/traffic/traffic_layer.cc
  # what goes wrong by plan
  emulator/src/faults/action_kind.cc
  emulator/src/faults/check_plan.cc
  emulator/src/faults/fault_engine.cc
  emulator/src/faults/fault_history.cc
  emulator/src/faults/fault_key.cc
  emulator/src/faults/json_position.cc
  emulator/src/faults/loaded_plan.cc
  emulator/src/faults/plan_fields.cc
  emulator/src/faults/read_plan.cc
  emulator/src/faults/render_plan.cc
  emulator/src/faults/rule_match.cc
  emulator/src/faults/seconds_text.cc
  emulator/src/faults/status_response.cc
  emulator/src/faults/upload_filter.cc
  # beside the APIs
  emulator/src/server/admin_endpoints.cc
  emulator/src/server/retry_test_endpoints.cc
  emulator/src/server/seed_request.cc
  emulator/src/server/traffic_json.cc
  emulator/src/server/traffic_recorder.cc
  # the JSON API
  emulator/src/server/api_call.cc
  emulator/src/server/api_error.cc
  emulator/src/server/authorizer.cc
  emulator/src/server/base64.cc
  emulator/src/server/bucket_endpoints.cc
  emulator/src/server/bucket_json.cc
  emulator/src/server/bucket_requests.cc
  emulator/src/server/byte_range.cc
  emulator/src/server/caller.cc
  emulator/src/server/commit_upload.cc
  emulator/src/server/content_range.cc
  emulator/src/server/copy_endpoints.cc
  emulator/src/server/encryption_headers.cc
  emulator/src/server/field_mask.cc
  emulator/src/server/gunzip.cc
  emulator/src/server/hash_text.cc
  emulator/src/server/iam_endpoints.cc
  emulator/src/server/json_error.cc
  emulator/src/server/json_shape.cc
  emulator/src/server/json_writer.cc
  emulator/src/server/known_fields.cc
  emulator/src/server/media_response.cc
  emulator/src/server/metadata_server.cc
  emulator/src/server/multipart.cc
  emulator/src/server/needed_permissions.cc
  emulator/src/server/object_endpoints.cc
  emulator/src/server/operation_name.cc
  emulator/src/server/page_token.cc
  emulator/src/server/parse_time.cc
  emulator/src/server/resource_json.cc
  emulator/src/server/resource_requests.cc
  emulator/src/server/resumable_endpoints.cc
  emulator/src/server/rewrite_token.cc
  emulator/src/server/router.cc
  emulator/src/server/service.cc
  emulator/src/server/standard_parameters.cc
  emulator/src/server/target.cc
  emulator/src/server/time_format.cc
  emulator/src/server/token_endpoints.cc
  emulator/src/server/upload_endpoints.cc
  emulator/src/server/upload_hashes.cc
  # the XML API
  emulator/src/server/xml/amz_headers.cc
  emulator/src/server/xml/http_conditions.cc
  emulator/src/server/xml/xml_buckets.cc
  emulator/src/server/xml/xml_call.cc
  emulator/src/server/xml/xml_copy.cc
  emulator/src/server/xml/xml_error.cc
  emulator/src/server/xml/xml_etag.cc
  emulator/src/server/xml/xml_listing.cc
  emulator/src/server/xml/xml_multipart.cc
  emulator/src/server/xml/xml_multipart_pages.cc
  emulator/src/server/xml/xml_objects.cc
  emulator/src/server/xml/xml_operation.cc
  emulator/src/server/xml/xml_requests.cc
  emulator/src/server/xml/xml_router.cc
  emulator/src/server/xml/xml_service.cc
  emulator/src/server/xml/xml_upload_body.cc
  emulator/src/server/xml/xml_writer.cc)

# Each kind of fault is a file of its own, found without being named here.
file(GLOB FAULT_ACTION_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/emulator/src/faults/actions/*.cc)
list(APPEND EMULATOR_SOURCES ${FAULT_ACTION_SOURCES})
