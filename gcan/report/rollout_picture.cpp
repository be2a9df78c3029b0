#include "gcan/report/rollout_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/report/panel_sheet.h"

namespace gcan::report {
namespace {

constexpr std::size_t kMostPictures = 80;  // of an animation
constexpr double kLongest = 0.6;           // of the largest speed, relative to the distance of arrows

// The speed of an arrow as long as the distance of arrows: a round number, for the legend.
double arrow_of(double highest) { return round_above(std::max(kLongest * highest, 1e-30)); }

std::string arrow_text(double highest, const std::string& unit) {
  return fmt::format("{:g}{}", arrow_of(highest), unit == "1" ? "" : " " + unit);
}
constexpr std::size_t kHold = 6;  // repetitions of the last picture

void check_frames(const std::vector<FieldFrame>& frames, std::size_t count, std::size_t numbers,
                  const std::string& what, bool finite) {
  if (frames.size() != count)
    throw Error(fmt::format("rollout picture: the {1} has {0} frames, but there are {2} times", frames.size(),
                            what, count));
  for (const FieldFrame& frame : frames) {
    if (frame.size() != numbers)
      throw Error(fmt::format("rollout picture: a frame of the {} has {} numbers, but its grid has {}", what,
                              frame.size(), numbers));
    if (finite && !std::all_of(frame.begin(), frame.end(), [](float x) { return std::isfinite(x); }))
      throw Error(fmt::format("rollout picture: the {} has non-finite numbers", what));
  }
}

void check(const FieldRollout& r) {
  if (r.fields.empty() || r.times.empty() || r.networks.empty())
    throw Error(
        fmt::format("rollout picture: got {} fields, {} times and {} networks, expected at least one of each",
                    r.fields.size(), r.times.size(), r.networks.size()));
  for (const RolloutField& field : r.fields) {
    if (field.numbers != 1 && field.numbers != 2)
      throw Error(fmt::format("rollout picture: '{}' has {} components; a scalar has 1, a vector 2",
                              field.name, field.numbers));
    if (field.predictions.size() != r.networks.size())
      throw Error(fmt::format("rollout picture: '{}' has predictions of {} networks, but {} are named",
                              field.name, field.predictions.size(), r.networks.size()));
    const std::size_t numbers = field.numbers * r.grid.frame_points();
    check_frames(field.input, r.input_times.size(), numbers, "input of '" + field.name + "'", true);
    check_frames(field.target, r.times.size(), numbers, "target of '" + field.name + "'", true);
    for (const auto& prediction : field.predictions)
      check_frames(prediction, r.times.size(), numbers, "prediction of '" + field.name + "'", false);
  }
}

// The drawn values of a frame: a scalar, or the length of a vector.
std::vector<float> shown(const FieldFrame& frame, std::size_t numbers) {
  if (numbers == 1) return frame;
  const std::size_t points = frame.size() / 2;
  std::vector<float> lengths(points);
  for (std::size_t i = 0; i < points; ++i) lengths[i] = std::hypot(frame[i], frame[points + i]);
  return lengths;
}

std::vector<float> difference(const RolloutField& field, std::size_t network, std::size_t step) {
  FieldFrame result = field.predictions[network][step];
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= field.target[step][i];
  return shown(result, field.numbers);
}

// Colour scales for a field and its differences at the shown steps.
struct FieldColours {
  PanelColours values, differences;

  FieldColours(const RolloutField& field, const std::vector<std::size_t>& steps) {
    const bool vector = field.numbers > 1;
    std::vector<std::vector<float>> frames;
    // Includes only the last input frame, because an initial transient would reduce the contrast.
    if (!field.input.empty()) frames.push_back(shown(field.input.back(), field.numbers));
    for (const std::size_t step : steps) frames.push_back(shown(field.target[step], field.numbers));
    const ColourRange range = range_of(frames);
    const std::string unit = unit_text(field.unit);
    values = {range.diverging ? ColourScale::cool_warm : ColourScale::viridis, vector ? 0 : range.low,
              range.high};
    values.label = (vector ? "|" + field.name + "|" : field.name) + unit;
    double most = 0;
    for (std::size_t network = 0; network < field.predictions.size(); ++network)
      for (const std::size_t step : steps)
        for (const float x : difference(field, network, step))
          if (std::isfinite(x)) most = std::max(most, std::abs(static_cast<double>(x)));
    // Limits the scale, so that one diverged network does not hide the others' differences.
    const double span = values.high - values.low;
    most = round_above(std::clamp(most, 1e-6 * span, span));
    differences = {vector ? ColourScale::warm : ColourScale::cool_warm, vector ? 0 : -most, most};
    differences.numbers = vector ? std::vector<double>{0, most} : std::vector<double>{-most, 0, most};
    differences.label = unit.empty() ? unit : unit.substr(1);
  }
};

// Wraps long names beside a panel.
std::vector<std::string> wrapped(const std::string& words, std::size_t letters) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > letters) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

void name_axes(PanelSheet& sheet, const data::Description& grid) {
  sheet.name_axes(grid.space[0].name + unit_text(grid.space[0].unit),
                  grid.space[1].name + unit_text(grid.space[1].unit));
}

std::vector<std::size_t> spread_steps(std::size_t steps, std::size_t columns) {
  const std::size_t count = std::min(steps, columns);
  std::vector<std::size_t> result;
  for (std::size_t i = 1; i <= count; ++i) result.push_back(i * steps / count - 1);
  return result;
}

// Layout of the still picture [px].
struct StillLayout {
  static constexpr double kGap = 8, kTimes = 22, kBlock = 16, kBar = 95, kRowGap = 6;
  double left, below, width, height;  // room for names, below a block; of a panel
  std::size_t columns, rows;          // rows of a block

  StillLayout(const FieldMap& map, std::size_t column_count, std::size_t networks, std::size_t blocks)
      : left(map.sphere() ? 46 : 96),
        below(map.sphere() ? 0 : 36),
        columns(column_count),
        rows(2 + 2 * networks) {
    // Fits a page.
    constexpr double kSheet = 900, kLength = 1600, kWidest = 320, kLeast = 80;
    const auto n = static_cast<double>(columns);
    const double others = 2 * kTimes + below + kBlock + static_cast<double>(rows) * kRowGap;
    const double room = (kLength / static_cast<double>(blocks) - others) / static_cast<double>(rows);
    width = std::min(
        {(kSheet - left - kBar - (n - 1) * kGap) / n, std::max(room, kLeast) / map.aspect(), kWidest});
    height = width * map.aspect();
  }
  double block_height() const {
    return 2 * kTimes + static_cast<double>(rows) * (height + kRowGap) + below + kBlock;
  }
  PictureSize size(std::size_t blocks) const {
    const auto n = static_cast<double>(columns);
    return {static_cast<int>(left + n * width + (n - 1) * kGap + kBar),
            static_cast<int>(static_cast<double>(blocks) * block_height())};
  }
  Rectangle panel(std::size_t block, std::size_t row, std::size_t column) const {
    const double top = static_cast<double>(block) * block_height() + (row == 0 ? 1 : 2) * kTimes;
    return {left + static_cast<double>(column) * (width + kGap),
            top + static_cast<double>(row) * (height + kRowGap), width, height};
  }
};

// A field's block of the still picture.
class StillBlock {
 public:
  StillBlock(const FieldRollout& rollout, std::size_t block, const std::vector<std::size_t>& steps,
             const StillLayout& layout, PanelSheet& sheet)
      : rollout_(rollout),
        field_(rollout.fields[block]),
        block_(block),
        steps_(steps),
        layout_(layout),
        sheet_(sheet),
        colours_(field_, steps) {}

  void draw() {
    input_row();
    const auto& [values, differences] = colours_;
    for (std::size_t c = 0; c < steps_.size(); ++c) {
      time_above(layout_.panel(block_, 1, c), rollout_.times[steps_[c]]);
      value_panel(1, c, "target", field_.target[steps_[c]]);
    }
    for (std::size_t n = 0; n < rollout_.networks.size(); ++n) {
      const std::size_t row = 2 + 2 * n;
      for (std::size_t c = 0; c < steps_.size(); ++c)
        value_panel(row, c, rollout_.networks[n], field_.predictions[n][steps_[c]]);
      for (std::size_t c = 0; c < steps_.size(); ++c) {
        const Rectangle where = layout_.panel(block_, row + 1, c);
        if (c == 0) row_name(where, "difference");
        if (c + 1 == steps_.size()) sheet_.bar(bar_beside(row + 1, row + 1), differences);
        sheet_.panel(where, difference(field_, n, steps_[c]), differences,
                     c == 0 && n + 1 == rollout_.networks.size());
      }
    }
  }

 private:
  // The last input frames.
  void input_row() {
    const std::size_t count = std::min(field_.input.size(), layout_.columns);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t frame = field_.input.size() - count + c;
      time_above(layout_.panel(block_, 0, c), rollout_.input_times[frame]);
      value_panel(0, c, "input", field_.input[frame]);
    }
  }
  void value_panel(std::size_t row, std::size_t column, const std::string& name, const FieldFrame& frame) {
    const Rectangle where = layout_.panel(block_, row, column);
    if (column == 0) row_name(where, name);
    // One bar for all rows from the input to the first prediction.
    if (row == 2 && column == 0) sheet_.bar(bar_beside(0, 2), colours_.values);
    if (field_.numbers > 1) sheet_.arrows(frame, arrow_of(colours_.values.high));
    if (field_.numbers > 1 && row == 0 && column == 0) {
      const Rectangle bar = bar_beside(0, 0);
      sheet_.arrow_scale(bar.left, where.top - 10, where.width,
                         arrow_text(colours_.values.high, field_.unit));
    }
    sheet_.panel(where, shown(frame, field_.numbers), colours_.values);
  }
  void time_above(const Rectangle& where, double time) {
    sheet_.text(where.left + where.width / 2, where.top - 10, time_text(rollout_.grid, time), "center");
  }
  void row_name(const Rectangle& where, const std::string& name) {
    constexpr double kLine = 14, kLetter = 7.2;
    const auto lines = wrapped(name, static_cast<std::size_t>(where.height / kLetter));
    double x = 24 - kLine * static_cast<double>(lines.size() - 1) / 2;
    for (const std::string& line : lines) {
      sheet_.text(x, where.top + where.height / 2, line, "center rotate by 90");
      x += kLine;
    }
  }
  Rectangle bar_beside(std::size_t first_row, std::size_t last_row) const {
    const Rectangle first = layout_.panel(block_, first_row, steps_.size() - 1);
    const Rectangle last = layout_.panel(block_, last_row, steps_.size() - 1);
    constexpr double kWidth = 12, kAway = 12, kInset = 4;
    return {last.right() + kAway, first.top + kInset, kWidth, last.bottom() - first.top - 2 * kInset};
  }

  const FieldRollout& rollout_;
  const RolloutField& field_;
  std::size_t block_;
  const std::vector<std::size_t>& steps_;
  const StillLayout& layout_;
  PanelSheet& sheet_;
  FieldColours colours_;
};

// The steps of an animation.
std::vector<std::size_t> animated_steps(const FieldRollout& rollout) {
  return spread_steps(rollout.times.size(), kMostPictures);
}

// Layout of the animation [px]: a row for each field; columns for the target and two for each network.
struct MovingLayout {
  static constexpr double kGap = 16, kHead = 64, kBelow = 64, kEdge = 16;
  double width, height;
  std::size_t columns;

  MovingLayout(const FieldMap& map, std::size_t networks) : columns(1 + 2 * networks) {
    constexpr double kTallest = 360;
    width = std::min(columns > 3 ? 300.0 : 380.0, kTallest / map.aspect());
    height = width * map.aspect();
  }
  PictureSize size(std::size_t fields) const {
    const auto n = static_cast<double>(columns);
    return {static_cast<int>(2 * kEdge + n * width + (n - 1) * kGap),
            static_cast<int>(kHead + static_cast<double>(fields) * (height + kBelow))};
  }
  Rectangle panel(std::size_t field, std::size_t column) const {
    return {kEdge + static_cast<double>(column) * (width + kGap),
            kHead + static_cast<double>(field) * (height + kBelow), width, height};
  }
};

// One picture of the animation.
void moving_page(const FieldRollout& rollout, const std::vector<FieldColours>& colours,
                 const MovingLayout& layout, std::size_t step, PanelSheet& sheet) {
  const auto bar_below = [](const Rectangle& where) {
    return Rectangle{where.left + 0.15 * where.width, where.bottom() + 6, 0.7 * where.width, 10};
  };
  const auto column_name = [&](std::size_t field, std::size_t column, const std::string& name) {
    const Rectangle where = layout.panel(field, column);
    if (field == 0) sheet.text(where.left + where.width / 2, where.top - 14, name, "center");
    return where;
  };
  sheet.text(layout.size(1).width / 2.0, 20, time_text(rollout.grid, rollout.times[step]), "center");
  for (std::size_t f = 0; f < rollout.fields.size(); ++f) {
    const RolloutField& field = rollout.fields[f];
    const PanelColours &values = colours[f].values, &differences = colours[f].differences;
    const auto value_panel = [&](std::size_t column, const std::string& name, const FieldFrame& frame) {
      const Rectangle where = column_name(f, column, name);
      sheet.bar(bar_below(where), values);
      if (field.numbers > 1) sheet.arrows(frame, arrow_of(values.high));
      if (field.numbers > 1 && column == 0)
        sheet.arrow_scale(where.left, where.top - 14, where.width, arrow_text(values.high, field.unit));
      sheet.panel(where, shown(frame, field.numbers), values);
    };
    value_panel(0, "target", field.target[step]);
    for (std::size_t n = 0; n < rollout.networks.size(); ++n) {
      value_panel(1 + 2 * n, rollout.networks[n], field.predictions[n][step]);
      const Rectangle where = column_name(f, 2 + 2 * n, "difference");
      sheet.bar(bar_below(where), differences);
      sheet.panel(where, difference(field, n, step), differences);
    }
  }
}

}  // namespace

void draw_rollout(const FieldRollout& rollout, const std::string& out, std::size_t columns) {
  check(rollout);
  if (columns == 0) throw Error("rollout picture: the number of columns must be at least 1");
  const std::vector<std::size_t> steps = spread_steps(rollout.times.size(), columns);
  const FieldMap map(rollout.grid, 480);
  const StillLayout layout(map, steps.size(), rollout.networks.size(), rollout.fields.size());
  const PictureSize size = layout.size(rollout.fields.size());
  draw_beside(out, [&](const std::string& beside) {
    const ScratchFolder folder;
    PanelSheet sheet(map, size, folder);
    name_axes(sheet, rollout.grid);
    for (std::size_t block = 0; block < rollout.fields.size(); ++block)
      StillBlock(rollout, block, steps, layout, sheet).draw();
    run_gnuplot(picture_terminal(out, beside, size) + sheet.script(), folder);
  });
}

std::size_t animation_frames(const FieldRollout& rollout) { return animated_steps(rollout).size() + kHold; }

void animate_rollout(const FieldRollout& rollout, const std::string& out) {
  if (std::filesystem::path(out).extension() != ".gif")
    throw Error(out + ": the output of an animation must end in .gif");
  check(rollout);
  std::vector<std::size_t> steps = animated_steps(rollout);
  std::vector<FieldColours> colours;
  for (const RolloutField& field : rollout.fields) colours.emplace_back(field, steps);
  steps.insert(steps.end(), kHold, steps.back());
  const FieldMap map(rollout.grid, 380);
  const MovingLayout layout(map, rollout.networks.size());
  const PictureSize size = layout.size(rollout.fields.size());
  draw_beside(out, [&](const std::string& beside) {
    const ScratchFolder folder;
    PanelSheet sheet(map, size, folder);
    name_axes(sheet, rollout.grid);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (i > 0) sheet.next_page();
      moving_page(rollout, colours, layout, steps[i], sheet);
    }
    const std::string terminal = fmt::format(
        "set encoding utf8\nset terminal gif animate delay 15 loop 0 size {},{} font 'DejaVuSans,11'\n"
        "set output {}\n",
        size.width, size.height, gnuplot_text(beside));
    run_gnuplot(terminal + sheet.script(), folder);
  });
}

}  // namespace gcan::report
