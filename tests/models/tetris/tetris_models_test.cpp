// Laws that every network for Tetris obeys.
#include "gcan/models/registry.h"
#include "tests/models/networks.h"
#include "tests/nn/message.h"

namespace gcan::test {
namespace tetris_models_test {

std::vector<std::string> tetris() {
  std::vector<std::string> found;
  for (const models::Model& model : models::registry()) {
    if (model.kind == models::Kind::tetris) found.push_back(model.name);
  }
  return found;
}

class TetrisNetworks : public ::testing::TestWithParam<std::string> {};

std::string test_name(const ::testing::TestParamInfo<std::string>& model) {
  std::string name = model.param;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, TetrisNetworks, ::testing::ValuesIn(tetris()), test_name);

TEST_P(TetrisNetworks, KeepTheShapeAndTheType) {
  const auto network = make_network(GetParam());
  for (const auto type : {torch::kFloat, torch::kDouble}) {
    network->to(type);
    for (const std::int64_t samples : {3, 1, 0}) {
      const torch::Tensor x = random_scene(GetParam(), samples, type);
      const torch::Tensor y = network->forward(x);
      EXPECT_EQ(y.sizes(), x.sizes());
      EXPECT_EQ(y.scalar_type(), type);
      EXPECT_TRUE(y.is_contiguous());
      EXPECT_TRUE(torch::isfinite(y).all().item<bool>());
    }
  }
}

TEST_P(TetrisNetworks, TreatSamplesIndependently) {
  const auto network = make_network(GetParam());
  network->to(torch::kDouble);
  const torch::Tensor x = random_scene(GetParam(), 3, torch::kDouble);
  const torch::Tensor apart =
      torch::cat({network->forward(x.narrow(0, 0, 1)), network->forward(x.narrow(0, 1, 2))});
  EXPECT_LT((network->forward(x) - apart).abs().max().item<double>(), 1e-10);
}

TEST_P(TetrisNetworks, EveryParameterGetsAGradient) {
  Settings settings;
  if (config::Options("model", models::find(GetParam()).options).has("delta0"))
    settings.push_back({"delta0", 1.0});
  const auto network = make_network(GetParam(), settings);
  if (!settings.empty()) {
    // Translations start at zero, and delta has no gradient before they move.
    const torch::NoGradGuard no_grad;
    for (auto& parameter : network->named_parameters()) {
      if (parameter.key().ends_with("action"))
        parameter.value().add_(0.1 * torch::rand_like(parameter.value()));
    }
  }
  network->forward(random_scene(GetParam(), 8)).square().sum().backward();
  for (const auto& parameter : network->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    const double largest = parameter.value().grad().abs().max().item<double>();
    // No constant vector commutes with rotations: the bias of vectors is projected to zero.
    const bool projected_away = GetParam().ends_with("o3-mlp") && parameter.key() == "linear3.bias";
    EXPECT_EQ(largest > 0, !projected_away) << parameter.key();
  }
}

TEST_P(TetrisNetworks, AreRestoredFromNamedParametersAndBuffers) {
  const auto from = make_network(GetParam());
  const auto to = make_network(GetParam());
  const torch::Tensor x = random_scene(GetParam(), 2);
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(torch::equal(from->forward(x), to->forward(x)));
  for (const auto& parameter : from->named_parameters()) {
    to->named_parameters()[parameter.key()].copy_(parameter.value());
  }
  for (const auto& buffer : from->named_buffers()) to->named_buffers()[buffer.key()].copy_(buffer.value());
  EXPECT_TRUE(torch::equal(from->forward(x), to->forward(x)));
}

TEST_P(TetrisNetworks, NameThemselvesWhenTheShapeIsWrong) {
  const auto network = make_network(GetParam());
  const std::string said = message([&] { network->forward(torch::zeros({2, 1, 4, 31, 3})); });
  EXPECT_NE(
      said.find(models::find(GetParam()).title + " got a tensor of shape (2, 1, 4, 31, 3), expected (*, "),
      std::string::npos)
      << said;
  const torch::Tensor wrong_type = random_scene(GetParam(), 1, torch::kDouble);
  EXPECT_NE(message([&] { network->forward(wrong_type); }).find("convert one of them"), std::string::npos);
}

TEST_P(TetrisNetworks, OtherNumbersOfStepsAndPoints) {
  Settings settings{
      {"steps_in", std::int64_t{3}}, {"steps_out", std::int64_t{5}}, {"points", std::int64_t{7}}};
  const auto network = make_network(GetParam(), settings);
  const std::int64_t fields = random_scene(GetParam(), 1).size(1);
  const torch::Tensor y = network->forward(torch::randn({2, fields, 3, 7, 3}));
  EXPECT_EQ(y.sizes(), (torch::IntArrayRef{2, fields, 5, 7, 3}));
}

TEST(TetrisModels, HaveThePapersParameterCounts) {
  const std::vector<std::pair<std::string, std::int64_t>> expected{
      {"mlp", 443520},
      {"motor-mlp", 460416},
      {"so3-mlp", 445305},
      {"o3-mlp", 445305},
      {"gca-mlp", 443776},
      {"edgeconv", 794892},
      {"gnn-s", 449492},
      {"gnn-s-d", 450036},
      {"gnn-l", 892620},
      {"gnn-l-d", 893388},
      {"gca-gnn", 892996},
      {"gca-gnn-45", 443209},
      {"mlp-velocity", 443696},
      {"gca-mlp-velocity", 444544},
      {"gnn-velocity", 897240},
      // Three more weights for each of the 8 * 64 gates than without velocities.
      {"gca-gnn-velocity", 892996 + 3 * 8 * 64}};
  EXPECT_EQ(expected.size(), tetris().size());
  for (const auto& [name, count] : expected) {
    EXPECT_EQ(models::parameter_count(*make_network(name)), count) << name;
  }
}

TEST(TetrisModels, RejectInvalidOptions) {
  EXPECT_NE(message([] {
              make_network("gca-mlp", {{"channels", std::int64_t{0}}});
            }).find("model.channels"),
            std::string::npos);
  EXPECT_NE(message([] {
              make_network("gca-mlp", {{"gate", "grades"}});
            }).find("one of channel, grade"),
            std::string::npos);
  EXPECT_NE(message([] {
              make_network("mlp", {{"channels", std::int64_t{3}}});
            }).find("no key"),
            std::string::npos);
}

}  // namespace tetris_models_test
}  // namespace gcan::test
