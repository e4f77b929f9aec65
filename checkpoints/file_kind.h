// Recognises files that people mistake for checkpoints, by their first bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace goldentrace {

// The sentence to show for such a file ("looks like a git-lfs pointer; fetch the file with git lfs pull", "not
// safetensors (a GGUF file)"), or empty when the bytes are of no known kind. `head`: the first bytes of the file, 64
// are enough; `wanted`: the kind that was expected.
std::string foreign_file_kind(std::span<const char> head, std::string_view wanted);

}  // namespace goldentrace
