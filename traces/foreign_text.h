// Recognises texts that stand where a file should be: what a download left instead of it.
#pragma once

#include <string>
#include <string_view>

namespace goldentrace {

// The sentence to show for a git-lfs pointer or a page ("looks like a git-lfs pointer; fetch the file with git lfs
// pull", "not a trace (HTML, perhaps an error page)"), or empty. `head`: the first bytes of the file, 64 are enough;
// `wanted`: the kind that was expected.
std::string foreign_text(std::string_view head, std::string_view wanted);

}  // namespace goldentrace
