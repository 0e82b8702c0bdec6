#include "torch/builtin_modules.h"

#include <torch/nn.h>

// The expression of Python follows the class, so that a reader can compare the two.
namespace gcsflux::testing {
namespace {

namespace nn = torch::nn;
using Modules = std::vector<BuiltinModule>;

at::Tensor Ones() { return torch::ones({3}); }

void AddLinear(Modules& modules) {
  modules.insert(modules.end(), {
                                    {"nn.Identity()", [] { return nn::Identity().ptr(); }},
                                    {"nn.Linear(3, 2)", [] { return nn::Linear(3, 2).ptr(); }},
                                    {"nn.Linear(3, 2, bias=False)",
                                     [] { return nn::Linear(nn::LinearOptions(3, 2).bias(false)).ptr(); }},
                                    {"nn.Bilinear(2, 3, 4)", [] { return nn::Bilinear(2, 3, 4).ptr(); }},
                                    {"nn.Bilinear(2, 3, 4, bias=False)",
                                     [] { return nn::Bilinear(nn::BilinearOptions(2, 3, 4).bias(false)).ptr(); }},
                                    {"nn.Flatten()", [] { return nn::Flatten().ptr(); }},
                                    {"nn.Unflatten(1, (2, 2))",
                                     [] {
                                       return nn::Unflatten(nn::UnflattenOptions(1, {2, 2})).ptr();
                                     }},
                                    {"nn.Embedding(5, 3)", [] { return nn::Embedding(5, 3).ptr(); }},
                                    {"nn.Embedding(5, 3, padding_idx=0)",
                                     [] { return nn::Embedding(nn::EmbeddingOptions(5, 3).padding_idx(0)).ptr(); }},
                                    {"nn.EmbeddingBag(5, 3)", [] { return nn::EmbeddingBag(5, 3).ptr(); }},
                                    {"nn.CosineSimilarity()", [] { return nn::CosineSimilarity().ptr(); }},
                                    {"nn.PairwiseDistance()", [] { return nn::PairwiseDistance().ptr(); }},
                                });
}

void AddConvolutions(Modules& modules) {
  modules.insert(modules.end(),
                 {
                     {"nn.Conv1d(2, 4, 3)", [] { return nn::Conv1d(2, 4, 3).ptr(); }},
                     {"nn.Conv2d(2, 4, 3)", [] { return nn::Conv2d(2, 4, 3).ptr(); }},
                     {"nn.Conv3d(2, 4, 3)", [] { return nn::Conv3d(2, 4, 3).ptr(); }},
                     {"nn.Conv2d(2, 4, (3, 1), groups=2, bias=False)",
                      [] {
                        return nn::Conv2d(nn::Conv2dOptions(2, 4, {3, 1}).groups(2).bias(false)).ptr();
                      }},
                     {"nn.ConvTranspose1d(2, 4, 3)", [] { return nn::ConvTranspose1d(2, 4, 3).ptr(); }},
                     {"nn.ConvTranspose2d(2, 4, 3)", [] { return nn::ConvTranspose2d(2, 4, 3).ptr(); }},
                     {"nn.ConvTranspose3d(2, 4, 3)", [] { return nn::ConvTranspose3d(2, 4, 3).ptr(); }},
                     {"nn.Fold((4, 4), 2)",
                      [] {
                        return nn::Fold(nn::FoldOptions({4, 4}, 2)).ptr();
                      }},
                     {"nn.Unfold(2)", [] { return nn::Unfold(nn::UnfoldOptions(2)).ptr(); }},
                     {"nn.PixelShuffle(2)", [] { return nn::PixelShuffle(nn::PixelShuffleOptions(2)).ptr(); }},
                     {"nn.PixelUnshuffle(2)", [] { return nn::PixelUnshuffle(nn::PixelUnshuffleOptions(2)).ptr(); }},
                     {"nn.Upsample(scale_factor=2)",
                      [] { return nn::Upsample(nn::UpsampleOptions().scale_factor(std::vector<double>{2})).ptr(); }},
                 });
}

template <class Norm, class Options>
void AddBatchNorm(Modules& modules, const std::string& name) {
  modules.push_back({"nn." + name + "(4)", [] { return Norm(4).ptr(); }});
  modules.push_back({"nn." + name + "(4, affine=False)", [] { return Norm(Options(4).affine(false)).ptr(); }});
  modules.push_back({"nn." + name + "(4, track_running_stats=False)",
                     [] { return Norm(Options(4).track_running_stats(false)).ptr(); }});
  modules.push_back({"nn." + name + "(4, affine=True, track_running_stats=True)",
                     [] { return Norm(Options(4).affine(true).track_running_stats(true)).ptr(); }});
}

void AddNorms(Modules& modules) {
  AddBatchNorm<nn::BatchNorm1d, nn::BatchNorm1dOptions>(modules, "BatchNorm1d");
  AddBatchNorm<nn::BatchNorm2d, nn::BatchNorm2dOptions>(modules, "BatchNorm2d");
  AddBatchNorm<nn::BatchNorm3d, nn::BatchNorm3dOptions>(modules, "BatchNorm3d");
  AddBatchNorm<nn::InstanceNorm1d, nn::InstanceNorm1dOptions>(modules, "InstanceNorm1d");
  AddBatchNorm<nn::InstanceNorm2d, nn::InstanceNorm2dOptions>(modules, "InstanceNorm2d");
  AddBatchNorm<nn::InstanceNorm3d, nn::InstanceNorm3dOptions>(modules, "InstanceNorm3d");
  modules.insert(modules.end(),
                 {
                     {"nn.LayerNorm(3)", [] { return nn::LayerNorm(nn::LayerNormOptions({3})).ptr(); }},
                     {"nn.LayerNorm((2, 3), elementwise_affine=False)",
                      [] {
                        return nn::LayerNorm(nn::LayerNormOptions({2, 3}).elementwise_affine(false)).ptr();
                      }},
                     {"nn.GroupNorm(2, 4)", [] { return nn::GroupNorm(2, 4).ptr(); }},
                     {"nn.GroupNorm(2, 4, affine=False)",
                      [] { return nn::GroupNorm(nn::GroupNormOptions(2, 4).affine(false)).ptr(); }},
                     {"nn.LocalResponseNorm(2)", [] { return nn::LocalResponseNorm(2).ptr(); }},
                     {"nn.CrossMapLRN2d(2)", [] { return nn::CrossMapLRN2d(2).ptr(); }},
                 });
}

void AddRecurrent(Modules& modules) {
  modules.insert(
      modules.end(),
      {
          {"nn.RNN(3, 2)", [] { return nn::RNN(3, 2).ptr(); }},
          {"nn.RNN(3, 2, 2, bidirectional=True, bias=False)",
           [] { return nn::RNN(nn::RNNOptions(3, 2).num_layers(2).bidirectional(true).bias(false)).ptr(); }},
          {"nn.LSTM(3, 2)", [] { return nn::LSTM(3, 2).ptr(); }},
          {"nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)",
           [] { return nn::LSTM(nn::LSTMOptions(3, 4).num_layers(2).bidirectional(true).proj_size(2)).ptr(); }},
          {"nn.GRU(3, 2)", [] { return nn::GRU(3, 2).ptr(); }},
          {"nn.GRU(3, 2, 2, bidirectional=True)",
           [] { return nn::GRU(nn::GRUOptions(3, 2).num_layers(2).bidirectional(true)).ptr(); }},
          {"nn.RNNCell(3, 2)", [] { return nn::RNNCell(3, 2).ptr(); }},
          {"nn.LSTMCell(3, 2)", [] { return nn::LSTMCell(3, 2).ptr(); }},
          {"nn.GRUCell(3, 2)", [] { return nn::GRUCell(3, 2).ptr(); }},
          {"nn.GRUCell(3, 2, bias=False)", [] { return nn::GRUCell(nn::GRUCellOptions(3, 2).bias(false)).ptr(); }},
      });
}

nn::TransformerEncoderLayer EncoderLayer() {
  return nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(4, 2).dim_feedforward(8));
}
nn::TransformerDecoderLayer DecoderLayer() {
  return nn::TransformerDecoderLayer(nn::TransformerDecoderLayerOptions(4, 2).dim_feedforward(8));
}
nn::AnyModule Norm() { return nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({4}))); }

void AddAttention(Modules& modules) {
  const std::string encoder = "nn.TransformerEncoderLayer(4, 2, 8)";
  const std::string decoder = "nn.TransformerDecoderLayer(4, 2, 8)";
  modules.insert(
      modules.end(),
      {
          {"nn.MultiheadAttention(4, 2)", [] { return nn::MultiheadAttention(4, 2).ptr(); }},
          {"nn.MultiheadAttention(4, 2, bias=False)",
           [] { return nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).bias(false)).ptr(); }},
          {"nn.MultiheadAttention(4, 2, add_bias_kv=True)",
           [] { return nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).add_bias_kv(true)).ptr(); }},
          {"nn.MultiheadAttention(4, 2, kdim=3, vdim=5)",
           [] { return nn::MultiheadAttention(nn::MultiheadAttentionOptions(4, 2).kdim(3).vdim(5)).ptr(); }},
          {encoder, [] { return EncoderLayer().ptr(); }},
          {decoder, [] { return DecoderLayer().ptr(); }},
          {"nn.TransformerEncoder(" + encoder + ", 2)",
           [] { return nn::TransformerEncoder(nn::TransformerEncoderOptions(EncoderLayer(), 2)).ptr(); }},
          {"nn.TransformerEncoder(" + encoder + ", 2, nn.LayerNorm(4))",
           [] { return nn::TransformerEncoder(nn::TransformerEncoderOptions(EncoderLayer(), 2).norm(Norm())).ptr(); }},
          {"nn.TransformerDecoder(" + decoder + ", 2)",
           [] { return nn::TransformerDecoder(nn::TransformerDecoderOptions(DecoderLayer(), 2)).ptr(); }},
          {"nn.TransformerDecoder(" + decoder + ", 2, nn.LayerNorm(4))",
           [] { return nn::TransformerDecoder(nn::TransformerDecoderOptions(DecoderLayer(), 2).norm(Norm())).ptr(); }},
          {"nn.Transformer(4, 2, 2, 2, 8)",
           [] { return nn::Transformer(nn::TransformerOptions(4, 2, 2, 2).dim_feedforward(8)).ptr(); }},
      });
}

void AddActivations(Modules& modules) {
  modules.insert(modules.end(),
                 {
                     {"nn.ELU()", [] { return nn::ELU().ptr(); }},
                     {"nn.SELU()", [] { return nn::SELU().ptr(); }},
                     {"nn.Hardshrink()", [] { return nn::Hardshrink().ptr(); }},
                     {"nn.Hardtanh()", [] { return nn::Hardtanh().ptr(); }},
                     {"nn.LeakyReLU()", [] { return nn::LeakyReLU().ptr(); }},
                     {"nn.LogSigmoid()", [] { return nn::LogSigmoid().ptr(); }},
                     {"nn.Softmax(1)", [] { return nn::Softmax(1).ptr(); }},
                     {"nn.Softmin(1)", [] { return nn::Softmin(1).ptr(); }},
                     {"nn.LogSoftmax(1)", [] { return nn::LogSoftmax(1).ptr(); }},
                     {"nn.Softmax2d()", [] { return nn::Softmax2d().ptr(); }},
                     {"nn.PReLU()", [] { return nn::PReLU().ptr(); }},
                     {"nn.PReLU(3)", [] { return nn::PReLU(nn::PReLUOptions().num_parameters(3)).ptr(); }},
                     {"nn.ReLU()", [] { return nn::ReLU().ptr(); }},
                     {"nn.ReLU6()", [] { return nn::ReLU6().ptr(); }},
                     {"nn.RReLU()", [] { return nn::RReLU().ptr(); }},
                     {"nn.CELU()", [] { return nn::CELU().ptr(); }},
                     {"nn.GLU()", [] { return nn::GLU().ptr(); }},
                     {"nn.GELU()", [] { return nn::GELU().ptr(); }},
                     {"nn.SiLU()", [] { return nn::SiLU().ptr(); }},
                     {"nn.Mish()", [] { return nn::Mish().ptr(); }},
                     {"nn.Sigmoid()", [] { return nn::Sigmoid().ptr(); }},
                     {"nn.Softplus()", [] { return nn::Softplus().ptr(); }},
                     {"nn.Softshrink()", [] { return nn::Softshrink().ptr(); }},
                     {"nn.Softsign()", [] { return nn::Softsign().ptr(); }},
                     {"nn.Tanh()", [] { return nn::Tanh().ptr(); }},
                     {"nn.Tanhshrink()", [] { return nn::Tanhshrink().ptr(); }},
                     {"nn.Threshold(0.1, 20)", [] { return nn::Threshold(0.1, 20).ptr(); }},
                     {"nn.Dropout()", [] { return nn::Dropout().ptr(); }},
                     {"nn.Dropout2d()", [] { return nn::Dropout2d().ptr(); }},
                     {"nn.Dropout3d()", [] { return nn::Dropout3d().ptr(); }},
                     {"nn.AlphaDropout()", [] { return nn::AlphaDropout().ptr(); }},
                     {"nn.FeatureAlphaDropout()", [] { return nn::FeatureAlphaDropout().ptr(); }},
                 });
}

void AddPooling(Modules& modules) {
  modules.insert(modules.end(),
                 {
                     {"nn.AvgPool1d(2)", [] { return nn::AvgPool1d(2).ptr(); }},
                     {"nn.AvgPool2d(2)", [] { return nn::AvgPool2d(2).ptr(); }},
                     {"nn.AvgPool3d(2)", [] { return nn::AvgPool3d(2).ptr(); }},
                     {"nn.MaxPool1d(2)", [] { return nn::MaxPool1d(2).ptr(); }},
                     {"nn.MaxPool2d(2)", [] { return nn::MaxPool2d(2).ptr(); }},
                     {"nn.MaxPool3d(2)", [] { return nn::MaxPool3d(2).ptr(); }},
                     {"nn.MaxUnpool1d(2)", [] { return nn::MaxUnpool1d(2).ptr(); }},
                     {"nn.MaxUnpool2d(2)", [] { return nn::MaxUnpool2d(2).ptr(); }},
                     {"nn.MaxUnpool3d(2)", [] { return nn::MaxUnpool3d(2).ptr(); }},
                     {"nn.AdaptiveAvgPool1d(2)", [] { return nn::AdaptiveAvgPool1d(2).ptr(); }},
                     {"nn.AdaptiveAvgPool2d(2)", [] { return nn::AdaptiveAvgPool2d(2).ptr(); }},
                     {"nn.AdaptiveAvgPool3d(2)", [] { return nn::AdaptiveAvgPool3d(2).ptr(); }},
                     {"nn.AdaptiveMaxPool1d(2)", [] { return nn::AdaptiveMaxPool1d(2).ptr(); }},
                     {"nn.AdaptiveMaxPool2d(2)", [] { return nn::AdaptiveMaxPool2d(2).ptr(); }},
                     {"nn.AdaptiveMaxPool3d(2)", [] { return nn::AdaptiveMaxPool3d(2).ptr(); }},
                     {"nn.FractionalMaxPool2d(2, output_size=3)",
                      [] { return nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2).output_size(3)).ptr(); }},
                     {"nn.FractionalMaxPool3d(2, output_size=3)",
                      [] { return nn::FractionalMaxPool3d(nn::FractionalMaxPool3dOptions(2).output_size(3)).ptr(); }},
                     {"nn.LPPool1d(2, 2)", [] { return nn::LPPool1d(2, 2).ptr(); }},
                     {"nn.LPPool2d(2, 2)", [] { return nn::LPPool2d(2, 2).ptr(); }},
                     {"nn.ReflectionPad1d(1)", [] { return nn::ReflectionPad1d(1).ptr(); }},
                     {"nn.ReflectionPad2d(1)", [] { return nn::ReflectionPad2d(1).ptr(); }},
                     {"nn.ReflectionPad3d(1)", [] { return nn::ReflectionPad3d(1).ptr(); }},
                     {"nn.ReplicationPad1d(1)", [] { return nn::ReplicationPad1d(1).ptr(); }},
                     {"nn.ReplicationPad2d(1)", [] { return nn::ReplicationPad2d(1).ptr(); }},
                     {"nn.ReplicationPad3d(1)", [] { return nn::ReplicationPad3d(1).ptr(); }},
                     {"nn.ZeroPad2d(1)", [] { return nn::ZeroPad2d(1).ptr(); }},
                     {"nn.ConstantPad1d(1, 2)", [] { return nn::ConstantPad1d(1, 2).ptr(); }},
                     {"nn.ConstantPad2d(1, 2)", [] { return nn::ConstantPad2d(1, 2).ptr(); }},
                     {"nn.ConstantPad3d(1, 2)", [] { return nn::ConstantPad3d(1, 2).ptr(); }},
                 });
}

void AddLosses(Modules& modules) {
  modules.insert(
      modules.end(),
      {
          {"nn.L1Loss()", [] { return nn::L1Loss().ptr(); }},
          {"nn.KLDivLoss()", [] { return nn::KLDivLoss().ptr(); }},
          {"nn.MSELoss()", [] { return nn::MSELoss().ptr(); }},
          {"nn.HingeEmbeddingLoss()", [] { return nn::HingeEmbeddingLoss().ptr(); }},
          {"nn.CosineEmbeddingLoss()", [] { return nn::CosineEmbeddingLoss().ptr(); }},
          {"nn.SmoothL1Loss()", [] { return nn::SmoothL1Loss().ptr(); }},
          {"nn.HuberLoss()", [] { return nn::HuberLoss().ptr(); }},
          {"nn.MultiLabelMarginLoss()", [] { return nn::MultiLabelMarginLoss().ptr(); }},
          {"nn.SoftMarginLoss()", [] { return nn::SoftMarginLoss().ptr(); }},
          {"nn.TripletMarginLoss()", [] { return nn::TripletMarginLoss().ptr(); }},
          {"nn.TripletMarginWithDistanceLoss()", [] { return nn::TripletMarginWithDistanceLoss().ptr(); }},
          {"nn.CTCLoss()", [] { return nn::CTCLoss().ptr(); }},
          {"nn.PoissonNLLLoss()", [] { return nn::PoissonNLLLoss().ptr(); }},
          {"nn.MarginRankingLoss()", [] { return nn::MarginRankingLoss().ptr(); }},
          {"nn.BCELoss()", [] { return nn::BCELoss().ptr(); }},
          {"nn.BCELoss(weight=torch.ones(3))", [] { return nn::BCELoss(nn::BCELossOptions().weight(Ones())).ptr(); }},
          {"nn.MultiMarginLoss()", [] { return nn::MultiMarginLoss().ptr(); }},
          {"nn.MultiMarginLoss(weight=torch.ones(3))",
           [] { return nn::MultiMarginLoss(nn::MultiMarginLossOptions().weight(Ones())).ptr(); }},
          {"nn.MultiLabelSoftMarginLoss()", [] { return nn::MultiLabelSoftMarginLoss().ptr(); }},
          {"nn.MultiLabelSoftMarginLoss(weight=torch.ones(3))",
           [] { return nn::MultiLabelSoftMarginLoss(nn::MultiLabelSoftMarginLossOptions().weight(Ones())).ptr(); }},
          {"nn.NLLLoss()", [] { return nn::NLLLoss().ptr(); }},
          {"nn.NLLLoss(weight=torch.ones(3))", [] { return nn::NLLLoss(nn::NLLLossOptions().weight(Ones())).ptr(); }},
          {"nn.CrossEntropyLoss()", [] { return nn::CrossEntropyLoss().ptr(); }},
          {"nn.CrossEntropyLoss(weight=torch.ones(3))",
           [] { return nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().weight(Ones())).ptr(); }},
          {"nn.BCEWithLogitsLoss()", [] { return nn::BCEWithLogitsLoss().ptr(); }},
          {"nn.BCEWithLogitsLoss(weight=torch.ones(3), pos_weight=torch.ones(3))",
           [] {
             return nn::BCEWithLogitsLoss(nn::BCEWithLogitsLossOptions().weight(Ones()).pos_weight(Ones())).ptr();
           }},
          {"nn.AdaptiveLogSoftmaxWithLoss(32, 9, [3, 6])",
           [] {
             return nn::AdaptiveLogSoftmaxWithLoss(32, 9, std::vector<std::int64_t>{3, 6}).ptr();
           }},
          {"nn.AdaptiveLogSoftmaxWithLoss(32, 9, [3, 6], head_bias=True)",
           [] {
             const nn::AdaptiveLogSoftmaxWithLossOptions options(32, 9, std::vector<std::int64_t>{3, 6});
             return nn::AdaptiveLogSoftmaxWithLoss(nn::AdaptiveLogSoftmaxWithLossOptions(options).head_bias(true))
                 .ptr();
           }},
      });
}

void AddContainers(Modules& modules) {
  modules.insert(
      modules.end(),
      {
          {"nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.BatchNorm1d(2))",
           [] { return nn::Sequential(nn::Linear(3, 2), nn::ReLU(), nn::BatchNorm1d(2)).ptr(); }},
          {"nn.Sequential(collections.OrderedDict(last=nn.Linear(3, 2), first=nn.Linear(2, 2)))",
           [] {
             return nn::Sequential({{"last", nn::Linear(3, 2)}, {"first", nn::Linear(2, 2)}}).ptr();
           }},
          {"nn.ModuleList([nn.Linear(3, 2), nn.GRUCell(3, 2)])",
           [] { return nn::ModuleList(nn::Linear(3, 2), nn::GRUCell(3, 2)).ptr(); }},
          {"nn.ModuleDict({'last': nn.Linear(3, 2), 'first': nn.PReLU()})",
           [] {
             nn::ModuleDict dict;
             dict->update({{"last", nn::Linear(3, 2).ptr()}, {"first", nn::PReLU().ptr()}});
             return dict.ptr();
           }},
          {"nn.ParameterList([torch.ones(3), torch.ones(3)])", [] { return nn::ParameterList(Ones(), Ones()).ptr(); }},
          {"nn.ParameterDict([('last', torch.ones(3)), ('first', torch.ones(3))])",
           [] {
             nn::ParameterDict dict;
             dict->insert("last", Ones());
             dict->insert("first", Ones());
             return dict.ptr();
           }},
      });
}

}  // namespace

std::vector<BuiltinModule> BuiltinModules() {
  Modules modules;
  AddLinear(modules);
  AddConvolutions(modules);
  AddNorms(modules);
  AddRecurrent(modules);
  AddAttention(modules);
  AddActivations(modules);
  AddPooling(modules);
  AddLosses(modules);
  AddContainers(modules);
  return modules;
}

}  // namespace gcsflux::testing
