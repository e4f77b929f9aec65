// Sums of the lanes and of the sketch over whole groups (kernels/fingerprint_order.h), `step` lanes at a time.
#pragma once

#include "kernels/sketch_hash.h"
#include "kernels/vector_code.h"
#include "kernels/vector_load.h"

namespace goldentrace {
namespace {

constexpr std::size_t ring = 256;  // sketches of this many buckets are added to directly
static_assert(ring == group_elements, "a group is a block of the sketch");
constexpr std::size_t most_groups = order_piece_bytes / group_elements;
constexpr std::size_t buffered_groups = 4;

// Order-free figures of each lane.
template <typename Number>
struct LaneFigures {
  alignas(64) Number min[group_lanes];
  alignas(64) Number max[group_lanes];
  alignas(64) std::int32_t zero[group_lanes] = {};
  alignas(64) std::int32_t nan[group_lanes] = {};
  alignas(64) std::int32_t excluded[group_lanes] = {};  // NaN and infinities

  GOLDENTRACE_INLINE LaneFigures() {
    for (std::size_t k = 0; k < group_lanes; ++k) min[k] = __builtin_inff(), max[k] = -__builtin_inff();
  }
};

struct SignsOfGroups {
  std::uint64_t words[most_groups * group_elements / sketch_sign_group];
  std::uint32_t rotations[most_groups];
};

GOLDENTRACE_INLINE void fill_signs(const GroupSpan& span, std::size_t m, SignsOfGroups& signs) {
  constexpr std::size_t words = group_elements / sketch_sign_group;
  if (m == 0) return;
  for (std::size_t i = 0; i < span.groups * words; ++i) {
    signs.words[i] = sketch_signs(span.first / sketch_sign_group + i);
  }
  if (m != ring) return;
  for (std::size_t i = 0; i < span.groups; ++i) {
    signs.rotations[i] = static_cast<std::uint32_t>(sketch_rotation(span.first / ring + i, ring));
  }
}

// Lanes from `first_lane` on take their signs from bit 0 of `word` on.
GOLDENTRACE_INLINE Doubles with_signs(Doubles values, std::uint64_t word, std::size_t first_lane) {
  Longs shifts;
  for (std::size_t k = 0; k < width; ++k) shifts[k] = static_cast<std::int64_t>(63 - first_lane - k);
  const Longs sign = (Longs{} + static_cast<std::int64_t>(word)) << shifts & INT64_MIN;
  return same_bits<Doubles>(same_bits<Longs>(values) ^ sign);
}

GOLDENTRACE_INLINE void add_to(double* sums, Doubles values) {
  store_vector(sums, load_vector<Doubles>(sums) + values);
}

// The sketch as a ring of 256 buckets: vectors that reach over its end go on into a copy of its beginning.
class RingSink {
 public:
  GOLDENTRACE_INLINE RingSink(double* sketch, const SignsOfGroups& signs) : sketch_(sketch), signs_(signs) {}

  GOLDENTRACE_INLINE void open(std::size_t group) {
    __builtin_memcpy(sketch_ + ring, sketch_, step * sizeof(double));
    start_ = signs_.rotations[group];
  }
  // place: of the first value in the group.
  GOLDENTRACE_INLINE void put(std::size_t, std::size_t place, DoublesPair values) {
    double* to = sketch_ + (start_ + place) % ring;
    add_to(to, values.low);
    add_to(to + width, values.high);
  }
  GOLDENTRACE_INLINE void close() { overwrite(sketch_, sketch_ + ring, start_ % step); }

 private:
  double* sketch_;
  const SignsOfGroups& signs_;
  std::size_t start_ = 0;
};

// Signed values for sketches of other sizes, which are added afterwards.
class BufferSink {
 public:
  GOLDENTRACE_INLINE explicit BufferSink(double* buffer) : buffer_(buffer) {}
  GOLDENTRACE_INLINE void open(std::size_t) {}
  GOLDENTRACE_INLINE void put(std::size_t group, std::size_t place, DoublesPair values) {
    double* to = buffer_ + group * group_elements + place;
    store_vector(to, values.low);
    store_vector(to + width, values.high);
  }
  GOLDENTRACE_INLINE void close() {}

 private:
  double* buffer_;
};

struct NoSink {
  GOLDENTRACE_INLINE void open(std::size_t) {}
  GOLDENTRACE_INLINE void put(std::size_t, std::size_t, DoublesPair) {}
  GOLDENTRACE_INLINE void close() {}
};

// The running order-free figures of `step` lanes. Floats: one vector each.
struct FloatFigures {
  Floats min, max;
  Ints zero, nan, excluded;

  GOLDENTRACE_INLINE void load(const LaneFigures<float>& from, std::size_t lane) {
    min = load_vector<Floats>(from.min + lane);
    max = load_vector<Floats>(from.max + lane);
    zero = load_vector<Ints>(from.zero + lane);
    nan = load_vector<Ints>(from.nan + lane);
    excluded = load_vector<Ints>(from.excluded + lane);
  }

  GOLDENTRACE_INLINE void store(LaneFigures<float>& to, std::size_t lane) const {
    store_vector(to.min + lane, min);
    store_vector(to.max + lane, max);
    store_vector(to.zero + lane, zero);
    store_vector(to.nan + lane, nan);
    store_vector(to.excluded + lane, excluded);
  }

  // Counts the elements at `bytes` and returns them, non-finite ones as 0 where `checked`.
  template <typename Element, bool checked>
  GOLDENTRACE_INLINE DoublesPair take(const std::byte* bytes) {
    const Floats values = VectorLoad<Element>::get(bytes);
    count_zeros(values, zero);
    if constexpr (!checked) {
      min = smaller(values, min);
      max = larger(values, max);
      return as_doubles<Element>(bytes, values);
    } else {
      const Ints bits = same_bits<Ints>(values);
      const Ints finite = (bits & 0x7FFFFFFF) < 0x7F800000;
      nan -= (bits & 0x7FFFFFFF) > 0x7F800000;
      excluded -= ~finite;
      min = smaller(same_bits<Floats>((bits & finite) | (0x7F800000 & ~finite)), min);
      max = larger(same_bits<Floats>((bits & finite) | (std::int32_t(0xFF800000) & ~finite)), max);
      return widened(same_bits<Floats>(bits & finite));
    }
  }
};

// Doubles: two vectors each.
struct DoubleFigures {
  DoublesPair min, max;
  Longs zero[2], nan[2], excluded[2];

  static GOLDENTRACE_INLINE Longs counts(const std::int32_t* from) {
    return __builtin_convertvector((load_vector<Vec<std::int32_t, width>>(from)), Longs);
  }
  static GOLDENTRACE_INLINE void put(std::int32_t* to, Longs counts) {
    store_vector(to, __builtin_convertvector(counts, Vec<std::int32_t, width>));
  }

  GOLDENTRACE_INLINE void load(const LaneFigures<double>& from, std::size_t lane) {
    min = {load_vector<Doubles>(from.min + lane), load_vector<Doubles>(from.min + lane + width)};
    max = {load_vector<Doubles>(from.max + lane), load_vector<Doubles>(from.max + lane + width)};
    zero[0] = counts(from.zero + lane), zero[1] = counts(from.zero + lane + width);
    nan[0] = counts(from.nan + lane), nan[1] = counts(from.nan + lane + width);
    excluded[0] = counts(from.excluded + lane), excluded[1] = counts(from.excluded + lane + width);
  }

  GOLDENTRACE_INLINE void store(LaneFigures<double>& to, std::size_t lane) const {
    store_vector(to.min + lane, min.low), store_vector(to.min + lane + width, min.high);
    store_vector(to.max + lane, max.low), store_vector(to.max + lane + width, max.high);
    put(to.zero + lane, zero[0]), put(to.zero + lane + width, zero[1]);
    put(to.nan + lane, nan[0]), put(to.nan + lane + width, nan[1]);
    put(to.excluded + lane, excluded[0]), put(to.excluded + lane + width, excluded[1]);
  }

  template <bool checked>
  GOLDENTRACE_INLINE Doubles take(Doubles values, Doubles& low, Doubles& high, std::size_t half) {
    count_zeros(values, zero[half]);
    if constexpr (!checked) {
      low = smaller(values, low);
      high = larger(values, high);
      return values;
    } else {
      constexpr std::int64_t infinity = 0x7FF0000000000000;
      const Longs bits = same_bits<Longs>(values);
      const Longs finite = (bits & INT64_MAX) < infinity;
      nan[half] -= (bits & INT64_MAX) > infinity;
      excluded[half] -= ~finite;
      low = smaller(same_bits<Doubles>((bits & finite) | (infinity & ~finite)), low);
      high = larger(same_bits<Doubles>((bits & finite) | ((infinity | INT64_MIN) & ~finite)), high);
      return same_bits<Doubles>(bits & finite);
    }
  }

  template <typename Element, bool checked>
  GOLDENTRACE_INLINE DoublesPair take(const std::byte* bytes) {
    const DoublesPair values = VectorLoad<Element>::get(bytes);
    return {take<checked>(values.low, min.low, max.low, 0), take<checked>(values.high, min.high, max.high, 1)};
  }
};

template <bool exact>
GOLDENTRACE_INLINE Doubles add_square(Doubles x, Doubles sum) {
  if constexpr (exact) return add_exact_square(x, sum);
  return x * x + sum;
}

template <typename Element>
using NumberOf = std::conditional_t<VectorLoad<Element>::as_floats, float, double>;
template <typename Element>
using FiguresOf = std::conditional_t<VectorLoad<Element>::as_floats, FloatFigures, DoubleFigures>;

// Lanes [lane, lane + step) of one group.
template <typename Element, bool checked, typename Sink>
GOLDENTRACE_INLINE void add_lanes(const std::byte* bytes, const std::uint64_t* signs, std::size_t group,
                                  std::size_t lane, Sink& sink, LaneSums& sums, FiguresOf<Element>& figures) {
  using Load = VectorLoad<Element>;
  constexpr std::size_t size = sizeof(typename Element::Bits);
  DoublesPair sum{}, squares{};
#pragma GCC unroll 4
  for (std::size_t row = 0; row < group_rows; ++row) {
    const std::size_t place = row * group_lanes + lane;
    const DoublesPair x = figures.template take<Element, checked>(bytes + place * size);
    sum = {sum.low + x.low, sum.high + x.high};
    squares = {add_square<Load::exact_squares>(x.low, squares.low),
               add_square<Load::exact_squares>(x.high, squares.high)};
    if constexpr (!std::is_same_v<Sink, NoSink>) {
      const std::uint64_t word = signs[place / sketch_sign_group] >> place % sketch_sign_group;
      sink.put(group, place, {with_signs(x.low, word, 0), with_signs(x.high, word, width)});
    }
  }
  add_to(sums.sum + lane, sum.low), add_to(sums.sum + lane + width, sum.high);
  add_to(sums.squares + lane, squares.low), add_to(sums.squares + lane + width, squares.high);
}

template <typename Element, bool checked, typename Sink>
GOLDENTRACE_INLINE void add_span(const GroupSpan& span, const SignsOfGroups& signs, Sink sink, LaneSums& sums,
                                 LaneFigures<NumberOf<Element>>& kept) {
  constexpr std::size_t passes = group_lanes / step;
  FiguresOf<Element> figures[passes];
  for (std::size_t pass = 0; pass < passes; ++pass) figures[pass].load(kept, pass * step);
  for (std::size_t group = 0; group < span.groups; ++group) {
    const std::byte* bytes = span.bytes + group * group_elements * sizeof(typename Element::Bits);
    const std::uint64_t* words = signs.words + group * (group_elements / sketch_sign_group);
    sink.open(group);
#pragma GCC unroll 4
    for (std::size_t pass = 0; pass < passes; ++pass) {
      add_lanes<Element, checked>(bytes, words, group, pass * step, sink, sums, figures[pass]);
    }
    sink.close();
  }
  for (std::size_t pass = 0; pass < passes; ++pass) figures[pass].store(kept, pass * step);
}

// m other than 256. Elements of `values` follow one another in the tensor from `first` on.
inline void add_buffer(double* sketch, std::uint64_t m, std::uint64_t first, const double* values, std::size_t count) {
  while (count > 0) {
    const std::uint64_t offset = first % m;
    const std::uint64_t bucket = (offset + sketch_rotation(first / m, m)) % m;
    std::uint64_t run = count < m - offset ? count : m - offset;
    if (run > m - bucket) run = m - bucket;
    for (std::uint64_t i = 0; i < run; ++i) sketch[bucket + i] += values[i];
    first += run;
    values += run;
    count -= run;
  }
}

template <typename Element, bool checked>
void add_buffered(GroupSpan span, LaneSums& sums, LaneFigures<NumberOf<Element>>& figures, double* sketch,
                  std::size_t m) {
  alignas(64) double buffer[buffered_groups * group_elements];
  SignsOfGroups signs;
  for (std::size_t left = span.groups; left > 0; left -= span.groups) {
    span.groups = left < buffered_groups ? left : buffered_groups;
    fill_signs(span, m, signs);
    add_span<Element, checked>(span, signs, BufferSink(buffer), sums, figures);
    const std::size_t elements = span.groups * group_elements;
    add_buffer(sketch, m, span.first, buffer, elements);
    span.bytes += elements * sizeof(typename Element::Bits);
    span.first += elements;
  }
}

template <typename Element, bool checked>
void add_in_ring(const GroupSpan& span, LaneSums& sums, LaneFigures<NumberOf<Element>>& figures, double* sketch) {
  SignsOfGroups signs;
  fill_signs(span, ring, signs);
  add_span<Element, checked>(span, signs, RingSink(sketch, signs), sums, figures);
}

template <typename Element, bool checked>
void add_without_sketch(const GroupSpan& span, LaneSums& sums, LaneFigures<NumberOf<Element>>& figures) {
  SignsOfGroups signs;
  add_span<Element, checked>(span, signs, NoSink{}, sums, figures);
}

template <typename Number>
void add_figures(const LaneFigures<Number>& lanes, std::size_t elements, PartialStatistics& total) {
  PartialStatistics part;
  part.min = lanes.min[0], part.max = lanes.max[0];
  std::uint64_t excluded = 0;
  for (std::size_t k = 0; k < group_lanes; ++k) {
    part.min = lanes.min[k] < part.min ? lanes.min[k] : part.min;
    part.max = lanes.max[k] > part.max ? lanes.max[k] : part.max;
    part.zero += static_cast<std::uint32_t>(lanes.zero[k]);
    part.nan += static_cast<std::uint32_t>(lanes.nan[k]);
    excluded += static_cast<std::uint32_t>(lanes.excluded[k]);
  }
  part.infinite = excluded - part.nan;
  part.finite = elements - excluded;
  if (part.finite > 0) {
    total.min = total.finite > 0 && total.min < part.min ? total.min : part.min;
    total.max = total.finite > 0 && total.max > part.max ? total.max : part.max;
  }
  total.finite += part.finite, total.nan += part.nan;
  total.infinite += part.infinite, total.zero += part.zero;
}

template <typename Element, bool checked>
void add_groups_of(const GroupSpan& span, LaneSums& lanes, double* sketch, std::size_t m) {
  LaneFigures<NumberOf<Element>> figures;
  if (m == 0) {
    add_without_sketch<Element, checked>(span, lanes, figures);
  } else if (m == ring && span.first % ring == 0) {
    add_in_ring<Element, checked>(span, lanes, figures, sketch);
  } else {
    add_buffered<Element, checked>(span, lanes, figures, sketch, m);
  }
  add_figures(figures, span.groups * group_elements, lanes.rest);
}

void add_groups(const GroupSpan& span, Expect expect, LaneSums& lanes, double* sketch, std::size_t m) {
  with_element(
      span.dtype, [&](auto element) __attribute__((always_inline)) {
        using Element = decltype(element);
        constexpr bool may_check = !VectorLoad<Element>::always_finite;
        if (may_check && expect == Expect::anything) return add_groups_of<Element, may_check>(span, lanes, sketch, m);
        return add_groups_of<Element, false>(span, lanes, sketch, m);
      });
}

}  // namespace
}  // namespace goldentrace
