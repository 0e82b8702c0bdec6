#include "cli/checkpoint/checkpoint_lines.h"

#include <cmath>
#include <iomanip>
#include <sstream>

#include "base/messages/json_text.h"

namespace gcsflux::cli {
namespace {

using internal::JsonText;

std::string Hex(std::uint32_t number) {
  std::ostringstream hex;
  hex << std::hex << std::setfill('0') << std::setw(8) << number;
  return hex.str();
}

std::string ShapeOf(const TensorLayout& layout, std::string_view between) {
  std::string text = "[";
  for (const std::int64_t size : layout.shape) {
    if (text.size() > 1) text += between;
    text += std::to_string(size);
  }
  return text + "]";
}

std::string Count(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// JSON has no NaN and no infinity.
std::string JsonNumber(double number) {
  if (!std::isfinite(number)) return "null";
  std::ostringstream text;
  text << std::setprecision(17) << number;
  return text.str();
}

std::string_view CoverOf(const StoredCheckpoint& checkpoint, const VerifyReport& report) {
  if (report.verified_bytes < report.bytes) return report.verified_bytes == 0 ? "no checksum" : "checksums of some";
  return IsSafetensors(checkpoint.format()) ? "the CRC32C of each tensor" : "the CRC-32 of each record";
}

}  // namespace

std::string CheckpointLine(const StoredCheckpoint& checkpoint, bool is_json) {
  const std::string bytes = std::to_string(checkpoint.size());
  const std::string format(FormatName(checkpoint.format()));
  if (!is_json) return checkpoint.name() + ": " + format + ", " + bytes + " bytes";
  return R"({"checkpoint":)" + JsonText(checkpoint.name()) + R"(,"format":)" + JsonText(format) + R"(,"bytes":)" +
         bytes + "}";
}

std::string TensorLine(const StoredTensor& tensor, std::optional<std::uint32_t> crc32c, bool is_json) {
  const std::string type(DTypeName(tensor.layout.dtype));
  const std::string bytes = std::to_string(TensorBytes(tensor.layout));
  if (!is_json) {
    const std::string checksum = crc32c ? "  crc32c " + Hex(*crc32c) : "";
    return "  " + tensor.name + "  " + type + " " + ShapeOf(tensor.layout, ", ") + "  " + bytes + " bytes" + checksum;
  }
  const std::string checksum = crc32c ? R"(,"crc32c":")" + Hex(*crc32c) + "\"" : "";
  return R"({"tensor":)" + JsonText(tensor.name) + R"(,"dtype":")" + type + R"(","shape":)" +
         ShapeOf(tensor.layout, ",") + R"(,"bytes":)" + bytes + checksum + "}";
}

std::string RefusedLine(const RefusedValue& value, bool is_json) {
  if (!is_json) return "  " + value.name + "  is not read: " + value.why;
  return R"({"refused":)" + JsonText(value.name) + R"(,"why":)" + JsonText(value.why) + "}";
}

std::string TotalLine(const StoredCheckpoint& checkpoint, bool is_json) {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    elements += ElementCount(tensor.layout.shape).value_or(0);
    bytes += TensorBytes(tensor.layout);
  }
  const std::size_t count = checkpoint.tensors().size();
  if (!is_json) {
    return Count(count, "tensor") + ", " + Count(elements, "element") + ", " + std::to_string(bytes) + " bytes";
  }
  return R"({"tensors":)" + std::to_string(count) + R"(,"elements":)" + std::to_string(elements) +
         R"(,"tensor_bytes":)" + std::to_string(bytes) + "}";
}

std::string VerifiedLine(const VerifiedStorage& verified, bool is_json) {
  const std::string& name = verified.tensor;
  if (!is_json) {
    if (verified.damage) return "  DAMAGED " + name + ": " + verified.damage->message;
    return "  " + name + "  crc32c " + Hex(verified.crc32c) + (verified.is_verified ? "" : "  has no checksum");
  }
  const std::string begin = R"({"storage_of":)" + JsonText(name);
  if (verified.damage) return begin + R"(,"damage":)" + JsonText(verified.damage->message) + "}";
  return begin + R"(,"crc32c":")" + Hex(verified.crc32c) + R"(","verified":)" +
         (verified.is_verified ? "true}" : "false}");
}

std::string VerifyTotalLine(const StoredCheckpoint& checkpoint, const VerifyReport& report, bool has_whole,
                            bool is_json) {
  const std::string_view cover = CoverOf(checkpoint, report);
  if (is_json) {
    return R"({"storages":)" + std::to_string(report.storages) + R"(,"damaged":)" + std::to_string(report.damaged) +
           R"(,"bytes":)" + std::to_string(report.bytes) + R"(,"verified_bytes":)" +
           std::to_string(report.verified_bytes) + R"(,"object_crc32c":)" + (has_whole ? "true}" : "false}");
  }
  std::string text = Count(report.storages, "storage") + ", " + std::to_string(report.bytes) + " bytes: ";
  if (report.damaged > 0) text += std::to_string(report.damaged) + " DAMAGED; ";
  text.append(cover).append(" covers ").append(std::to_string(report.verified_bytes)).append(" bytes");
  return text + (has_whole ? ", and the object's CRC32C the whole file"
                           : "; nothing covers what lies between them: the file has no checksum of its own");
}

std::string DifferenceLine(const TensorDifference& difference, bool is_json) {
  const bool has_elements = difference.kind == "elements";
  if (is_json) {
    std::string text = R"({"tensor":)" + JsonText(difference.name) + R"(,"difference":")";
    text.append(difference.kind).append("\"");
    if (!difference.why.empty()) text += R"(,"why":)" + JsonText(difference.why);
    if (has_elements) {
      text += R"(,"elements":)" + std::to_string(difference.different_elements) + R"(,"largest":)" +
              JsonNumber(difference.largest);
    }
    return text + "}";
  }
  std::ostringstream text;
  text << "  " << difference.name << "  ";
  if (has_elements) {
    text << Count(difference.different_elements, "element")
         << (difference.different_elements == 1 ? " differs" : " differ") << ", by at most " << difference.largest;
  } else if (difference.why.empty()) {
    text << difference.kind;
  } else {
    text << difference.why;
  }
  return text.str();
}

std::string CompareTotalLine(const CompareReport& report, bool is_json) {
  if (is_json) {
    return R"({"same":)" + std::to_string(report.same) + R"(,"different":)" + std::to_string(report.different) + "}";
  }
  return Count(report.same, "tensor") + (report.same == 1 ? " is" : " are") + " the same, " +
         std::to_string(report.different) + (report.different == 1 ? " differs" : " differ");
}

}  // namespace gcsflux::cli
