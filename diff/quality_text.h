// Lines about the quality of two models, for people.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "diff/report.h"

namespace goldentrace {

std::vector<std::string> quality_lines(const QualityReport& report);
// "0 ulp 81.2 %, 1 ulp 9.3 %, 2-3 ulp …": shares of a histogram as Comparison::ulp_histogram, empty buckets left out.
std::string ulp_shares(const std::array<std::int64_t, ulp_buckets>& histogram);

}  // namespace goldentrace
