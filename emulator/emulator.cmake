# gcsflux::emulator. One paragraph for each room of emulator/src, from the lowest layer up: docs/architecture.md.
gcsflux_component(emulator
  # base
  emulator/src/base/base64.cc
  emulator/src/base/clock.cc
  emulator/src/base/parse_time.cc
  emulator/src/base/time_format.cc
  # json
  emulator/src/json/bounded_json.cc
  emulator/src/json/json_shape.cc
  emulator/src/json/json_writer.cc
  # identity
  emulator/src/identity/assertion.cc
  emulator/src/identity/base64url.cc
  emulator/src/identity/config.cc
  emulator/src/identity/identity.cc
  emulator/src/identity/json_fields.cc
  emulator/src/identity/jwt.cc
  emulator/src/identity/permissions.cc
  emulator/src/identity/rsa_public_key.cc
  emulator/src/identity/tokens.cc
  # store/bytes
  emulator/src/store/bytes/body.cc
  emulator/src/store/bytes/crc32c.cc
  emulator/src/store/bytes/md5.cc
  emulator/src/store/bytes/rope.cc
  emulator/src/store/bytes/rope_piece.cc
  # store/objects
  emulator/src/store/objects/attribute_rules.cc
  emulator/src/store/objects/customer_key.cc
  emulator/src/store/objects/names.cc
  emulator/src/store/objects/object_cursor.cc
  emulator/src/store/objects/object_set.cc
  emulator/src/store/objects/storage_class.cc
  # store/listing
  emulator/src/store/listing/glob.cc
  emulator/src/store/listing/glob_listing.cc
  emulator/src/store/listing/listing.cc
  # store/buckets
  emulator/src/store/buckets/bucket.cc
  emulator/src/store/buckets/multipart_uploads.cc
  emulator/src/store/buckets/preconditions.cc
  emulator/src/store/buckets/seed_bucket.cc
  emulator/src/store/buckets/store.cc
  # store/uploads
  emulator/src/store/uploads/resumable_sessions.cc
  # virtual
  emulator/src/virtual/computed_content.cc
  emulator/src/virtual/counter_names.cc
  emulator/src/virtual/directory_names.cc
  emulator/src/virtual/hex_names.cc
  emulator/src/virtual/name_set.cc
  emulator/src/virtual/parse_virtual_buckets.cc
  emulator/src/virtual/utf8_names.cc
  emulator/src/virtual/virtual_buckets.cc
  emulator/src/virtual/virtual_objects.cc
  # settings
  emulator/src/settings/flat_json.cc
  # http
  emulator/src/http/api_error.cc
  emulator/src/http/byte_range.cc
  emulator/src/http/content_range.cc
  emulator/src/http/content_type.cc
  emulator/src/http/entity_tags.cc
  emulator/src/http/error_answer.cc
  emulator/src/http/hash_text.cc
  emulator/src/http/http_message.cc
  emulator/src/http/json_error.cc
  emulator/src/http/json_response.cc
  emulator/src/http/parameters.cc
  emulator/src/http/reason_phrase.cc
  emulator/src/http/target.cc
  emulator/src/http/which_api.cc
  emulator/src/http/xml_error.cc
  emulator/src/http/xml_writer.cc
  # bodies
  emulator/src/bodies/fingerprinted_body.cc
  emulator/src/bodies/gunzip.cc
  emulator/src/bodies/inflated_body.cc
  emulator/src/bodies/md5_follower.cc
  emulator/src/bodies/multipart.cc
  emulator/src/bodies/multipart_reader.cc
  emulator/src/bodies/peeked_body.cc
  emulator/src/bodies/receive_body.cc
  emulator/src/bodies/receive_multipart.cc
  # network
  emulator/src/network/answer_head.cc
  emulator/src/network/answer_writer.cc
  emulator/src/network/body_reader.cc
  emulator/src/network/http_codec.cc
  emulator/src/network/http_server.cc
  emulator/src/network/listener.cc
  emulator/src/network/pace.cc
  emulator/src/network/paced_socket.cc
  emulator/src/network/refused_connections.cc
  emulator/src/network/request_head.cc
  emulator/src/network/socket_stream.cc
  emulator/src/network/tls_context.cc
  emulator/src/network/tls_session.cc
  # operations
  emulator/src/operations/known_operations.cc
  # journal
  emulator/src/journal/client_attempt.cc
  emulator/src/journal/journal.cc
  emulator/src/journal/journal_queries.cc
  emulator/src/journal/metrics.cc
  emulator/src/journal/redact_target.cc
  emulator/src/journal/request_counters.cc
  # api
  emulator/src/api/authorizer.cc
  emulator/src/api/caller.cc
  emulator/src/api/custom_time.cc
  emulator/src/api/encryption_headers.cc
  emulator/src/api/media_response.cc
  emulator/src/api/object_etag.cc
  emulator/src/api/page_token.cc
  emulator/src/api/upload_hashes.cc
  # json_api
  emulator/src/json_api/api_call.cc
  emulator/src/json_api/batch.cc
  emulator/src/json_api/batch_endpoint.cc
  emulator/src/json_api/bucket_endpoints.cc
  emulator/src/json_api/bucket_json.cc
  emulator/src/json_api/bucket_requests.cc
  emulator/src/json_api/copy_endpoints.cc
  emulator/src/json_api/field_mask.cc
  emulator/src/json_api/iam_endpoints.cc
  emulator/src/json_api/known_fields.cc
  emulator/src/json_api/object_endpoints.cc
  emulator/src/json_api/resource_json.cc
  emulator/src/json_api/resource_requests.cc
  emulator/src/json_api/rewrite_token.cc
  emulator/src/json_api/router.cc
  emulator/src/json_api/standard_parameters.cc
  # uploads
  emulator/src/uploads/commit_upload.cc
  emulator/src/uploads/resumable_endpoints.cc
  emulator/src/uploads/upload_endpoints.cc
  # xml_api
  emulator/src/xml_api/amz_headers.cc
  emulator/src/xml_api/http_conditions.cc
  emulator/src/xml_api/xml_buckets.cc
  emulator/src/xml_api/xml_call.cc
  emulator/src/xml_api/xml_copy.cc
  emulator/src/xml_api/xml_delete_objects.cc
  emulator/src/xml_api/xml_etag.cc
  emulator/src/xml_api/xml_listing.cc
  emulator/src/xml_api/xml_multipart.cc
  emulator/src/xml_api/xml_multipart_pages.cc
  emulator/src/xml_api/xml_objects.cc
  emulator/src/xml_api/xml_requests.cc
  emulator/src/xml_api/xml_router.cc
  emulator/src/xml_api/xml_service.cc
  emulator/src/xml_api/xml_upload_body.cc
  # identity_api
  emulator/src/identity_api/machine.cc
  emulator/src/identity_api/metadata_server.cc
  emulator/src/identity_api/token_endpoints.cc
  # faults/tools
  emulator/src/faults/tools/plan_fields.cc
  emulator/src/faults/tools/status_response.cc
  emulator/src/faults/tools/upload_filter.cc
  # faults/plan
  emulator/src/faults/plan/check_plan.cc
  emulator/src/faults/plan/json_position.cc
  emulator/src/faults/plan/read_plan.cc
  emulator/src/faults/plan/render_plan.cc
  emulator/src/faults/plan/seconds_text.cc
  # faults/engine
  emulator/src/faults/engine/fault_engine.cc
  emulator/src/faults/engine/fault_history.cc
  emulator/src/faults/engine/fault_key.cc
  emulator/src/faults/engine/loaded_plan.cc
  emulator/src/faults/engine/rule_match.cc
  # quotas
  emulator/src/quotas/bucket_quota.cc
  emulator/src/quotas/key_ranges.cc
  emulator/src/quotas/keyed_buckets.cc
  emulator/src/quotas/live_quotas.cc
  emulator/src/quotas/quota_intervener.cc
  emulator/src/quotas/quota_refusal.cc
  emulator/src/quotas/quota_settings.cc
  emulator/src/quotas/range_load.cc
  emulator/src/quotas/token_bucket.cc
  # shaping
  emulator/src/shaping/distribution.cc
  emulator/src/shaping/latency_sampler.cc
  emulator/src/shaping/live_shaping.cc
  emulator/src/shaping/paced_bodies.cc
  emulator/src/shaping/pacer.cc
  emulator/src/shaping/shaping_intervener.cc
  emulator/src/shaping/shaping_settings.cc
  emulator/src/shaping/stream_pacer.cc
  # retry_tests
  emulator/src/retry_tests/instruction_intervener.cc
  emulator/src/retry_tests/retry_instruction.cc
  emulator/src/retry_tests/retry_test_endpoints.cc
  emulator/src/retry_tests/retry_test_intervener.cc
  emulator/src/retry_tests/retry_tests.cc
  emulator/src/retry_tests/unreachable_buckets.cc
  # service
  emulator/src/service/answer_memory.cc
  emulator/src/service/cors.cc
  emulator/src/service/first_answers.cc
  emulator/src/service/idempotency_settings.cc
  emulator/src/service/json_operations.cc
  emulator/src/service/service.cc
  emulator/src/service/unserved_operations.cc
  emulator/src/service/xml_operations.cc
  # entrance
  emulator/src/entrance/foreign_pages.cc
  emulator/src/entrance/preview_request.cc
  emulator/src/entrance/request_dialects.cc
  emulator/src/entrance/traffic_layer.cc
  emulator/src/entrance/traffic_recorder.cc
  # admin
  emulator/src/admin/admin_endpoints.cc
  emulator/src/admin/seed_request.cc
  emulator/src/admin/traffic_json.cc
  emulator/src/emulator.cc)
# Each kind of fault is a file of its own. CMake finds it without being told.
file(GLOB fault_actions CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/emulator/src/faults/actions/*.cc)
target_sources(gcsflux_emulator PRIVATE ${fault_actions})
target_include_directories(gcsflux_emulator
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/emulator/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/emulator/src)
target_link_libraries(gcsflux_emulator
  PUBLIC Threads::Threads
  PRIVATE PkgConfig::isal pugixml::pugixml OpenSSL::SSL OpenSSL::Crypto
          $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:tl::expected>)
