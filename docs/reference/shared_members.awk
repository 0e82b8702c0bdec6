# Doxygen reads the headers through this: members that many options have are described once, in operation_options.h.
# What has no comment of its own gets its text here.
function has_text() { return before ~ /^ *\/\/\// || $0 ~ /\/\// }
function add(text) { if (!has_text()) sub(/$/, "  ///< " text) }
/^  CallOptions call = / { add("For each request.") }
/^  std::stop_token stop = / { add("Ends the call early, with kCancelled.") }
/^  std::string fields = / { add("The fields of the answer to request, as the JSON API names them; empty means all.") }
/^  Preconditions preconditions = / { add("If they do not hold, the call has no effect.") }
/^  ObjectAttributes attributes = / { add("Of the new object.") }
/^  ProgressCallback on_progress = / { add("Told of the bytes so far, often.") }
/^  std::optional<EncryptionKey> encryption_key = / { add("The key under which the object is stored, or will be stored.") }
/^  std::optional<std::string> kms_key_name = / { add("The Cloud KMS key for the new object; if absent, the bucket's default.") }
/^struct [A-Za-z]+Options \{/ && !has_text() { print "/// Options of " substr($2, 1, length($2) - 7) "()." }
{ print; before = $0 }
