#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "case/case.h"

namespace gcsflux::conformance {

/// The operation that a request asks for: a method's id of the JSON API's discovery document ("storage.objects.get"),
/// or "xml.objects.get", "xml.buckets.put", "xml.multipart.complete" and the like for the XML API. "batch" for a batch.
/// "other" for a request that is none of these.
///
/// `target` may hold placeholders. One that begins with a placeholder is taken for an upload session, or for media if
/// the method is GET or HEAD.
std::string OperationOf(std::string_view method, std::string_view target);

/// The operations of all requests of a case, each once, in alphabetical order.
std::vector<std::string> OperationsOf(const Case& subject);

/// The price's class of an operation: 'A', 'B' or '0' (free).
/// Source: https://cloud.google.com/storage/pricing#operations-by-class
char BillingClassOf(std::string_view operation);

/// US dollars for 1,000 operations of a class, of standard storage in a region.
/// Source: https://cloud.google.com/storage/pricing#operations-pricing, as of 2026.
double PricePerThousand(char billing_class);

}  // namespace gcsflux::conformance
