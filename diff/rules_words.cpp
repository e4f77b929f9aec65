#include "diff/rules_words.h"

#include "traces/suggest.h"

namespace goldentrace {

std::string unknown_word(const std::string& what, const std::string& word, const RuleWords& known) {
  const RuleWords near = closest_names(word, known, 1);
  std::string text = "unknown " + what + " '" + word + "'";
  if (!near.empty()) text += ", did you mean '" + near.front() + "'?";
  text += "; use ";
  for (const std::string& each : known) text += (&each == &known.front() ? "" : ", ") + each;
  return text;
}

}  // namespace goldentrace
