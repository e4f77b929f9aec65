#include "cli/progress.h"

#include <algorithm>
#include <cstdio>

#include "cli/terminal.h"

namespace goldentrace {
namespace {

constexpr auto patience = std::chrono::milliseconds(400);
constexpr auto interval = std::chrono::milliseconds(100);
constexpr int bar_width = 30;

}  // namespace

Progress::Progress(std::string label, const OutputOptions& options)
    : label_(std::move(label)),
      enabled_(!options.quiet && is_terminal(Stream::err)),
      next_draw_(Clock::now() + patience) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::uint64_t done, std::uint64_t total) {
  if (!enabled_ || total == 0 || Clock::now() < next_draw_) return;
  next_draw_ = Clock::now() + interval;
  drawn_ = true;
  const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::string bar(static_cast<std::size_t>(part * bar_width), '#');
  bar.resize(bar_width, '.');
  std::fprintf(stderr, "\r\033[K%s [%s] %3d %%", label_.c_str(), bar.c_str(), static_cast<int>(part * 100));
}

}  // namespace goldentrace
