#include <gcsflux/torch/state_dict.h>

int main() { return gcsflux::DTypeOf(c10::ScalarType::Float) == gcsflux::DType::kFloat32 ? 0 : 1; }
