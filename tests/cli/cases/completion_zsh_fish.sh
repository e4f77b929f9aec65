gtrace completion bash > script.bash
gtrace completion zsh > script.zsh
gtrace completion fish > script.fish
head -2 script.zsh
sed -n '/^_gtrace() {/,$p' script.zsh
# The tables are those of bash, which completion_bash.sh runs.
tables() { sed -n '/^_gtrace_words/,/^_gtrace()/p' "$1" | head -n -1; }
cmp <(tables script.bash) <(tables script.zsh) && tables script.zsh | grep -c "^    '"  | sed 's/.*/tables/'
grep -e "'__fish_use_subcommand'" -e "_from show'" -e '-l optimizer' -e '-l variant' script.fish
# Where the shells are there, they have to understand it.
if command -v zsh > zsh.path; then zsh -n script.zsh; fi
if command -v fish > fish.path; then fish --no-execute script.fish; fi
gtrace completion tcsh
