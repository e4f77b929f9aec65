# Help for what is no command is no help.
gtrace help nope; echo "exit $?"
gtrace help shwo; echo "exit $?"
gtrace shwo --help; echo "exit $?"
gtrace help show | head -1
gtrace help | head -1
