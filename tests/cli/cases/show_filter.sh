gtrace show "$GOLDEN" --filter '*/output.*' | cut -f1
echo "exit $?"
gtrace show "$GOLDEN" --filter 'nothing*'
