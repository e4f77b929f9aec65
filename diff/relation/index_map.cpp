#include "diff/relation/index_map.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "diff/number.h"
#include "traces/error.h"

namespace goldentrace {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::usage, what); }

std::int64_t product(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

enum class Direction { gather, scatter };

// One pass over the elements in the order of the result. `Item` bytes at once; 0: as many as `item` says.
template <std::size_t Item>
struct Walk {
  Direction direction;
  std::size_t item;
  std::byte* strided;
  std::byte* packed;

  std::size_t bytes() const { return Item == 0 ? item : Item; }

  void move(std::int64_t from, std::int64_t to, std::int64_t count) const {
    std::byte* a = strided + static_cast<std::size_t>(from) * bytes();
    std::byte* b = packed + static_cast<std::size_t>(to) * bytes();
    const std::size_t length = static_cast<std::size_t>(count) * bytes();
    if (direction == Direction::gather) {
      std::memcpy(b, a, length);
    } else {
      std::memcpy(a, b, length);
    }
  }

  void line(std::int64_t from, std::int64_t stride, std::int64_t to, std::int64_t count) const {
    if (stride == 1) return move(from, to, count);
    for (std::int64_t i = 0; i < count; ++i) move(from + i * stride, to + i, 1);
  }
};

template <std::size_t Item, typename Axes>
void run(const Walk<Item>& walk, const Axes& axes, std::int64_t offset) {
  const auto& last = axes.back();
  std::vector<std::int64_t> place(axes.size(), 0);
  std::int64_t from = offset;
  std::int64_t to = 0;
  while (true) {
    walk.line(from, last.stride, to, last.size);
    to += last.size;
    std::size_t axis = axes.size() - 1;
    while (true) {
      if (axis-- == 0) return;
      from += axes[axis].stride;
      if (++place[axis] < axes[axis].size) break;
      from -= axes[axis].stride * axes[axis].size;
      place[axis] = 0;
    }
  }
}

template <typename Axes>
void run_items(Direction direction, std::size_t item, std::byte* strided, std::byte* packed, const Axes& axes,
               std::int64_t offset) {
  const auto with = [&](auto size) {
    run(Walk<decltype(size)::value>{direction, item, strided, packed}, axes, offset);
  };
  switch (item) {
    case 1:
      return with(std::integral_constant<std::size_t, 1>{});
    case 2:
      return with(std::integral_constant<std::size_t, 2>{});
    case 4:
      return with(std::integral_constant<std::size_t, 4>{});
    case 8:
      return with(std::integral_constant<std::size_t, 8>{});
    default:
      return with(std::integral_constant<std::size_t, 0>{});
  }
}

}  // namespace

IndexMap::IndexMap(const Shape& source) {
  std::int64_t stride = 1;
  for (auto size = source.rbegin(); size != source.rend(); ++size) {
    groups_.push_back({{*size, stride}});
    stride *= *size;
  }
  std::ranges::reverse(groups_);
}

Shape IndexMap::shape() const {
  Shape result;
  for (const Group& group : groups_) {
    std::int64_t size = 1;
    for (const Axis& axis : group) size *= axis.size;
    result.push_back(size);
  }
  return result;
}

std::size_t IndexMap::at(std::int64_t axis) const {
  const auto count = static_cast<std::int64_t>(groups_.size());
  const std::int64_t place = axis < 0 ? axis + count : axis;
  if (place < 0 || place >= count) {
    refuse("axis " + std::to_string(axis) + " is not there: the tensor is " + show_list(shape()));
  }
  return static_cast<std::size_t>(place);
}

void IndexMap::permute(std::span<const std::int64_t> axes) {
  if (axes.size() != groups_.size()) {
    refuse(counted(static_cast<std::int64_t>(axes.size()), "axis number") + " for the tensor " + show_list(shape()));
  }
  std::vector<std::uint8_t> used(groups_.size(), 0);
  std::vector<Group> result;
  for (const std::int64_t axis : axes) {
    if (used[at(axis)]++) refuse("axis " + std::to_string(axis) + " is named twice");
    result.push_back(groups_[at(axis)]);
  }
  groups_ = std::move(result);
}

void IndexMap::transpose(std::int64_t first, std::int64_t second) {
  std::swap(groups_[at(first)], groups_[at(second)]);
}

void IndexMap::split(std::int64_t axis, std::vector<std::int64_t> sizes) {
  const std::size_t place = at(axis);
  const std::int64_t whole = shape()[place];
  const auto free = std::ranges::find(sizes, -1);
  if (free != sizes.end()) {
    *free = 1;
    const std::int64_t others = product(sizes);
    if (others < 1 || whole % others != 0) refuse(std::to_string(whole) + " cannot be split into " + show_list(sizes));
    *free = whole / others;
  }
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 1; }) || product(sizes) != whole) {
    refuse(std::to_string(whole) + " cannot be split into " + show_list(sizes));
  }
  Group rest = groups_[place];
  std::vector<Group> parts;
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) parts.insert(parts.begin(), take(rest, *size, sizes));
  groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(place));
  groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(place), parts.begin(), parts.end());
}

// The innermost parts of an axis that make up `size` elements; they leave `rest`.
IndexMap::Group IndexMap::take(Group& rest, std::int64_t size, std::span<const std::int64_t> sizes) {
  Group part;
  for (std::int64_t left = size; left > 1;) {
    Axis& inner = rest.back();
    if (left % inner.size == 0) {
      left /= inner.size;
      part.insert(part.begin(), inner);
      rest.pop_back();
    } else if (inner.size % left == 0) {
      part.insert(part.begin(), {left, inner.stride});
      inner = {inner.size / left, inner.stride * left};
      left = 1;
    } else {
      refuse("the axis was merged from parts that do not fit " + show_list(sizes));
    }
  }
  if (part.empty()) part.push_back({1, 0});
  return part;
}

void IndexMap::merge(std::int64_t axis, std::int64_t count) {
  const std::size_t first = at(axis);
  if (count < 1 || first + static_cast<std::size_t>(count) > groups_.size()) {
    refuse(counted(count, "axis") + " cannot be merged from axis " + std::to_string(axis) + " on: the tensor is " +
           show_list(shape()));
  }
  const auto begin = groups_.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto group = begin + 1; group != begin + count; ++group)
    begin->insert(begin->end(), group->begin(), group->end());
  groups_.erase(begin + 1, begin + count);
}

bool IndexMap::slice(std::int64_t axis, std::int64_t from, std::int64_t to) {
  Group& group = groups_[at(axis)];
  const std::int64_t size = shape()[at(axis)];
  if (from < 0 || to < from || to > size) {
    refuse("[" + std::to_string(from) + ", " + std::to_string(to) + ") is not inside an axis of " +
           std::to_string(size) + ": the tensor is " + show_list(shape()));
  }
  if (from == 0 && to == size) return true;
  const auto long_parts = std::ranges::count_if(group, [](const Axis& part) { return part.size != 1; });
  if (long_parts > 1) return false;
  if (long_parts == 1) std::erase_if(group, [](const Axis& part) { return part.size == 1; });
  group.resize(1);
  offset_ += from * group[0].stride;
  group[0].size = to - from;
  keeps_all_ = false;
  return true;
}

std::vector<IndexMap::Axis> IndexMap::walk() const {
  std::vector<Axis> axes;
  for (const Group& group : groups_) {
    for (const Axis& axis : group) {
      if (axis.size == 1) continue;
      if (!axes.empty() && axes.back().stride == axis.size * axis.stride) {
        axes.back() = {axes.back().size * axis.size, axis.stride};
      } else {
        axes.push_back(axis);
      }
    }
  }
  if (axes.empty()) axes.push_back({1, 1});
  return axes;
}

bool IndexMap::is_identity() const {
  const std::vector<Axis> axes = walk();
  return keeps_all_ && axes.size() == 1 && axes[0].stride == 1;
}

std::int64_t IndexMap::source_of(std::int64_t element) const {
  std::int64_t source = offset_;
  for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
    for (auto axis = group->rbegin(); axis != group->rend(); ++axis) {
      source += element % axis->size * axis->stride;
      element /= axis->size;
    }
  }
  return source;
}

void IndexMap::gather(std::span<const std::byte> source, std::size_t item, std::span<std::byte> result) const {
  if (result.empty()) return;
  // Read only: the walk's direction says which side is written.
  auto* strided = const_cast<std::byte*>(source.data());
  run_items(Direction::gather, item, strided, result.data(), walk(), offset_);
}

void IndexMap::scatter(std::span<const std::byte> result, std::size_t item, std::span<std::byte> source) const {
  if (source.empty()) return;
  auto* packed = const_cast<std::byte*>(result.data());
  run_items(Direction::scatter, item, source.data(), packed, walk(), offset_);
}

}  // namespace goldentrace
