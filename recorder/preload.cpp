// libgoldentrace_preload.so: opens the observer in processes that have loaded LibTorch, and does nothing in others.
// Links neither LibTorch nor anything of goldentrace; see recorder/observe.h.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int is_libtorch(dl_phdr_info* object, std::size_t, void*) {
  const char* slash = std::strrchr(object->dlpi_name, '/');
  const char* file = slash == nullptr ? object->dlpi_name : slash + 1;
  return std::strncmp(file, "libtorch_cpu.so", 15) == 0 ? 1 : 0;
}

// Children of the recorded program are their own business. Takes this library out of LD_PRELOAD, others stay.
void leave_environment(const std::string& own_path) {
  const char* preload = std::getenv("LD_PRELOAD");
  std::string kept;
  for (std::string rest = preload == nullptr ? "" : preload; !rest.empty();) {
    const std::size_t end = rest.find_first_of(": ");
    const std::string library = rest.substr(0, end);
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
    if (!library.empty() && library != own_path) kept += (kept.empty() ? "" : ":") + library;
  }
  kept.empty() ? unsetenv("LD_PRELOAD") : setenv("LD_PRELOAD", kept.c_str(), 1);
}

std::string own_path() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&own_path), &info);
  return info.dli_fname == nullptr ? "" : info.dli_fname;
}

bool file_is_empty(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  const bool empty = file == nullptr || std::fgetc(file) == EOF;
  if (file != nullptr) std::fclose(file);
  return empty;
}

// Of the command that started this process. Never destroyed: needed after the exit handlers, and before main().
std::string& status_file() {
  static std::string& only = *new std::string;
  return only;
}
bool is_asked = false;
bool is_observed = false;

// To the command, when nothing was said to it before; otherwise to people.
void say_not_recorded(const std::string& why) {
  if (!status_file().empty() && file_is_empty(status_file())) {
    if (std::FILE* file = std::fopen(status_file().c_str(), "w")) {
      std::fprintf(file, "nothing: %s\n", why.c_str());
      std::fclose(file);
      return;
    }
  }
  std::fprintf(stderr, "goldentrace: not recorded: %s\n", why.c_str());
}

using Start = void (*)();
using MainReturned = void (*)(int code);
MainReturned main_returned = nullptr;

void open_observer(const std::string& own_path) {
  const std::string library = own_path.substr(0, own_path.rfind('/') + 1) + "libgoldentrace_observer.so";
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto start = handle == nullptr ? nullptr : reinterpret_cast<Start>(dlsym(handle, "goldentrace_observe"));
  if (start != nullptr) {
    main_returned = reinterpret_cast<MainReturned>(dlsym(handle, "goldentrace_main_returned"));
    return start();
  }
  say_not_recorded(std::string("its LibTorch is not the one goldentrace was built for (") + dlerror() + ")");
}

__attribute__((constructor)) void begin() {
  if (std::getenv("GOLDENTRACE_OUTPUT") == nullptr) return;
  if (const char* status = std::getenv("GOLDENTRACE_STATUS")) status_file() = status;
  is_asked = true;
  if (dl_iterate_phdr(&is_libtorch, nullptr) == 0) return;
  is_observed = true;
  const std::string path = own_path();
  leave_environment(path);
  open_observer(path);
}

// The observer opens before main() or not at all: what dlopen() brings in later was never seen.
__attribute__((destructor)) void end() {
  if (!is_asked || is_observed || dl_iterate_phdr(&is_libtorch, nullptr) == 0) return;
  say_not_recorded("it loads LibTorch after it has started (dlopen); link it with LibTorch or use the library in it");
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

// Exit handlers come too late to run ops: LibTorch's own may be done by then.
int observed_main(int count, char** arguments, char** environment) {
  const int code = program_main(count, arguments, environment);
  if (main_returned != nullptr) main_returned(code);
  return code;
}

}  // namespace

// glibc's caller of main(), with another main() where a program is observed.
extern "C" int __libc_start_main(Main main, int count, char** arguments, void (*begin_program)(), void (*end_program)(),
                                 void (*end_loader)(), void* stack_end) {
  using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start_main = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  program_main = main;
  return start_main(main_returned == nullptr ? main : observed_main, count, arguments, begin_program, end_program,
                    end_loader, stack_end);
}
