#include "tests/traces/kill_hooks.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include <thread>
#include <vector>

namespace goldentrace::testing_support {
namespace {

KillPlan plan;
std::atomic<bool> is_sealing{false};
std::atomic<std::uint64_t> calls{0};

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

bool is_due(KillPlace place) { return plan.place == place && calls++ == plan.call; }

ssize_t write_all(int file, const iovec* pieces, int count, off_t at) {
  return syscall(SYS_pwritev, file, pieces, static_cast<long>(count), static_cast<long>(at), 0L);
}

// The first part of the pieces, as a kill in the middle of a write leaves it. What lies in one sector is written whole
// or not at all.
void write_part(int file, const iovec* pieces, int count, off_t at) {
  constexpr std::size_t sector = 512;
  std::size_t left = 0;
  for (int i = 0; i < count; ++i) left += pieces[i].iov_len;
  const bool is_one_sector = static_cast<std::size_t>(at) % sector + left <= sector;
  left = is_one_sector ? (plan.fraction < 512 ? 0 : left) : left * plan.fraction / 1024;
  std::vector<iovec> cut(pieces, pieces + count);
  for (iovec& piece : cut) {
    piece.iov_len = std::min(piece.iov_len, left);
    left -= piece.iov_len;
  }
  write_all(file, cut.data(), count, at);
}

}  // namespace

void plan_kill(const KillPlan& wanted) {
  plan = wanted;
  is_sealing = false;
}
void say_sealing() { is_sealing = true; }

}  // namespace goldentrace::testing_support

using namespace goldentrace::testing_support;

extern "C" {

ssize_t pwritev(int file, const iovec* pieces, int count, off_t at) {
  if (is_due(is_sealing ? KillPlace::seal_write : KillPlace::append)) {
    write_part(file, pieces, count, at);
    die();
  }
  return write_all(file, pieces, count, at);
}

int fsync(int file) {
  if (is_due(KillPlace::sync)) die();
  return static_cast<int>(syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) noexcept {
  const bool due = is_due(KillPlace::rename);
  if (due && plan.fraction < 512) die();
  const int result = static_cast<int>(syscall(SYS_rename, from, to));
  if (due) die();
  return result;
}

int unlink(const char* path) noexcept {
  const bool due = is_due(KillPlace::removal);
  if (due && plan.fraction < 512) die();
  const int result = static_cast<int>(syscall(SYS_unlink, path));
  if (due) die();
  return result;
}

size_t ZSTD_compress2(ZSTD_CCtx* context, void* out, size_t room, const void* in, size_t bytes) {
  static const auto real = reinterpret_cast<decltype(&ZSTD_compress2)>(dlsym(RTLD_NEXT, "ZSTD_compress2"));
  if (is_due(KillPlace::compression)) {
    std::thread([] {
      usleep(static_cast<useconds_t>(plan.fraction));
      die();
    }).detach();
  }
  return real(context, out, room, in, bytes);
}

}  // extern "C"
