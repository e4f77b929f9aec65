# needs: record
for command in "" show verify diff completion record "record mlp" "record gpt" replay; do
  gtrace $command --version | sed 's/[0-9]\+\.[0-9]\+\.[0-9]\+/N.N.N/'
done
