// A cursor over one line of tape text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "traces/dtype.h"
#include "traces/record.h"

namespace goldentrace {

// Borrows the text. Every take function skips leading blanks; what does not parse is Error(damaged) with line number
// and column.
class TapeLine {
 public:
  TapeLine(std::string_view text, std::size_t number) : text_(text), number_(number) {}

  bool at_end();
  bool next_is(std::string_view word);  // without taking it
  bool skip(std::string_view word);     // takes it when it comes next
  void expect(std::string_view word);   // Error(damaged) unless it comes next

  std::string_view take_word();  // letters, digits and '_'
  std::string take_quoted();     // "…" with \" \\ \xNN
  std::int64_t take_integer();
  std::int32_t take_small();  // an integer of 32 bits
  bool next_is_real();        // 0x…, inf or nan(…), a sign before it allowed
  double take_real();
  bool take_boolean();
  DType take_dtype();
  Shape take_sizes();  // [2,3]

  [[noreturn]] void refuse(const std::string& what) const;

 private:
  void skip_blanks();
  char take_escape();
  std::uint64_t take_hexadecimal();

  std::string_view text_;
  std::size_t number_;
  std::size_t at_ = 0;
};

}  // namespace goldentrace
