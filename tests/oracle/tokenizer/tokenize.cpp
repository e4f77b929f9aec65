// tokenize FOLDER: reads texts from stdin, each behind its length (four bytes, little-endian), and prints the ids of
// each on a line. What the ids decode to must be the text with its broken UTF-8 repaired.
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>

#include "checkpoints/tokenizer.h"
#include "checkpoints/utf8.h"

namespace {

bool read_text(std::string& text) {
  unsigned char length[4];
  if (!std::cin.read(reinterpret_cast<char*>(length), 4)) return false;
  text.resize(length[0] | (length[1] << 8) | (length[2] << 16) | (std::size_t{length[3]} << 24));
  return static_cast<bool>(std::cin.read(text.data(), static_cast<std::streamsize>(text.size())));
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return 2;
  const goldentrace::Tokenizer tokenizer(arguments[1]);
  for (std::string text; read_text(text);) {
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    if (tokenizer.decode(ids) != goldentrace::repaired_utf8(text)) throw std::runtime_error("decodes to another text");
    for (const std::int32_t id : ids) std::cout << id << ' ';
    std::cout << '\n';
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
