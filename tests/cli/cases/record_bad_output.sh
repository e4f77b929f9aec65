# needs: record
mlp="mlp --input_dim 8 --batch_size 4 --train_dataset_len 4 --quiet"
mkdir folder locked
mkfifo pipe
for path in folder /dev/null pipe absent/run.h5 ""; do
  gtrace record $mlp -o "$path"; echo "exit $?"
done
# As somebody who may not write there.
chmod 755 . locked
if [ "$(id -u)" -eq 0 ]; then
  setpriv --reuid 65534 --regid 65534 --clear-groups "$BIN/gtrace" record $mlp -o locked/run.h5 2>&1 | sed "s/Permission denied.*/Permission denied/"
  echo "exit ${PIPESTATUS[0]}"
else
  chmod 555 locked
  gtrace record $mlp -o locked/run.h5 2>&1 | sed "s/Permission denied.*/Permission denied/"
  echo "exit ${PIPESTATUS[0]}"
fi
ls locked
