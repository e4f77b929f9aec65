gtrace shwo
echo "exit $?"
gtrace zzzzzzzz
