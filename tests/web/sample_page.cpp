// Writes a page with every kind of view and synthetic data, for browser tests and their benchmark:
// sample_page FOLDER [ROWS]. Names contain text that would break a careless page.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numbers>

#include "gcan/report/html_report.h"
#include "gcan/sim/tetris/predictors.h"
#include "gcan/sim/tetris/simulate.h"
#include "tests/report/grids.h"

namespace gcan {
namespace {

constexpr const char* kEvil = "<script>document.title='broken'</script>\"'\n&amp;";

report::BodiesView bodies() {
  sim::tetris::Job job{.options = sim::tetris::Options::paper(), .trajectories = 12};
  report::BodiesView view{.trajectories = 12, .truth = std::vector<float>(job.size()), .networks = {}};
  sim::tetris::simulate(job, view.truth);
  const std::size_t steps = view.steps(), given = steps / 2, row = sim::tetris::kPoints * 3;
  std::vector<float> input;
  for (std::size_t t = 0; t < view.trajectories; ++t) {
    const auto first = view.truth.begin() + static_cast<std::ptrdiff_t>(t * steps * row);
    input.insert(input.end(), first, first + static_cast<std::ptrdiff_t>(given * row));
  }
  for (const int degree : {0, 1, 2}) {
    const auto made = sim::tetris::extrapolate(input, {view.trajectories, given, sim::tetris::kPoints},
                                               steps - given, degree);
    const char* names[] = {"standing still", "constant velocity", kEvil};
    view.networks.push_back({names[degree], {made.begin(), made.end()}});
  }
  return view;
}

// A wave that travels eastward, and a wind around it.
report::FieldsView fields(data::Description grid, double speed) {
  constexpr std::size_t kSteps = 12;
  const bool sphere = grid.grid_type == "spherical";
  grid.fields = {{"height", "m", {}, ""}, {"velocity", "m/s", {"u", "v"}, ""}};
  const std::size_t rows = grid.space[0].values.size(), columns = grid.space[1].values.size();
  const auto wave = [&](double time, std::size_t numbers) {
    report::FieldFrame frame(numbers * rows * columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const double y = (static_cast<double>(i) + 0.5) / static_cast<double>(rows) * std::numbers::pi;
        const double x = static_cast<double>(j) / static_cast<double>(columns) * 2 * std::numbers::pi;
        const std::size_t at = i * columns + j;
        const double phase = 3 * (x - time);
        if (numbers == 1) {
          frame[at] =
              static_cast<float>(100 + 20 * std::sin(y) * std::sin(y) * std::cos(phase) + 30 * std::cos(y));
        } else {
          frame[at] = static_cast<float>(20 * std::sin(y));
          frame[rows * columns + at] = static_cast<float>(8 * std::sin(y) * std::sin(phase));
        }
      }
    return frame;
  };
  report::FieldsView view;
  view.rollout.grid = std::move(grid);
  view.rollout.networks = {"slow network", kEvil};
  for (const std::size_t numbers : {std::size_t{1}, std::size_t{2}}) {
    report::RolloutField field{
        numbers == 1 ? "height" : "velocity", numbers == 1 ? "m" : "m/s", numbers, {}, {}, {{}, {}}};
    field.input = {wave(-speed, numbers), wave(0, numbers)};
    for (std::size_t t = 1; t <= kSteps; ++t) {
      const double time = speed * static_cast<double>(t);
      field.target.push_back(wave(time, numbers));
      field.predictions[0].push_back(wave(0.8 * time, numbers));
      field.predictions[1].push_back(wave(1.05 * time, numbers));
    }
    view.rollout.fields.push_back(field);
  }
  const double step = sphere ? 21600 : 0.5;
  view.rollout.input_times = {-step, 0};
  view.spectrum_name = "kinetic energy";
  view.spectra.resize(2);
  for (std::size_t t = 1; t <= kSteps; ++t) {
    view.rollout.times.push_back(step * static_cast<double>(t));
    std::vector<double> spectrum;
    for (int k = 0; k < 20; ++k) spectrum.push_back(std::exp(-0.2 * k) / static_cast<double>(t));
    view.target_spectra.push_back(spectrum);
    for (auto& of_network : view.spectra) of_network.push_back(spectrum);
  }
  return view;
}

report::Chart chart() {
  report::Chart chart{.title = "Learning", .x_label = "step", .y_label = "error", .y_log = true};
  report::Series a{.name = "MLP", .x = {}, .y = {}, .marker = report::Marker::filled}, b = a;
  b.name = kEvil;
  b.colour = 1;
  for (int i = 1; i <= 40; ++i) {
    a.x.push_back(100.0 * i), a.y.push_back(2.0 / i);
    b.x.push_back(100.0 * i), b.y.push_back(3.0 / (i * i));
  }
  chart.series = {a, b};
  return chart;
}

report::Table table() {
  report::Table table{"Test error", {"network", "256", "1024"}, {}, {"Ours: last / best."}};
  table.rows = {{"MLP, paper", "4.51", "1.22"},
                {"MLP, ours", {"3.50 / 3.40", true}, "1.60 / 1.50"},
                {"GCA, paper", "0.50", "0.05"},
                {"GCA, ours", "9.00 / 8.00", {"0.040 / 0.030", true}},
                {kEvil, "7", "-"}};
  table.rows[1][2].link = "#run-1";
  using report::RowKind;
  table.row_kinds = {RowKind::paper, RowKind::ours, RowKind::paper, RowKind::ours};
  return table;
}

report::RunsView runs() {
  report::RunsView view;
  for (const std::string name : {"MLP", "GCA-MLP", kEvil}) {
    report::RunSheet sheet{
        .name = name, .folder = "runs/" + name, .settings = {}, .machine = {}, .numbers = {}, .curve = {}};
    sheet.settings = {{"model.name", name, "", "network"},
                      {"train.steps", name == "MLP" ? "100" : "200", "100", "steps"},
                      {"train.seed", "1", "1", "seed"}};
    sheet.machine = {{"machine.cores", "2"}, {"gcan.version", "0.1.0"}};
    sheet.numbers = {{"test error, best checkpoint", name == "MLP" ? "1.5" : "0.03"}};
    sheet.curve = {name, {1, 2, 3}, {3, 2, 1}, {1, 3}, {3.5, 1.5}};
    view.runs.push_back(sheet);
  }
  return view;
}

// The content of a view in print and in browsers without scripts.
report::Figure still(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(std::filesystem::path(folder) / "still.svg")
      << "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='120'><circle cx='200' cy='60' "
         "r='50'/></svg>";
  return {.file = "still.svg", .caption = kEvil, .display_width = 400};
}

std::string write(const std::string& folder, std::size_t rows) {
  report::HtmlReport page{.title = std::string("Sample ") + kEvil, .summary = kEvil};
  page.sections.push_back({.title = "Errors", .tables = {table()}, .views = {{chart()}}});
  page.sections.push_back({.title = "Motion", .views = {{bodies(), {still(folder)}}}});
  page.sections.push_back({.title = "Sphere", .views = {{fields(test::sphere_grid(rows, 2 * rows), 0.1)}}});
  page.sections.push_back({.title = "Box", .views = {{fields(test::box_grid(32, 48), 0.1)}}});
  page.sections.push_back({.title = "Runs", .views = {{runs()}}});
  page.configuration = kEvil;
  return report::write_html_report(folder, page);
}

}  // namespace
}  // namespace gcan

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: sample_page FOLDER [ROWS]\n";
    return 2;
  }
  const std::size_t rows = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 32;
  std::cout << gcan::write(arguments[1], rows) << '\n';
}
