// A library to load before a program (LD_PRELOAD): lets one call of the system fail, for tools/torture and
// tests.
//
//   GCAN_FAULT=write:3:ENOSPC    the third write to a file fails with that error; SHORT writes a half of it
//   GCAN_FAULT=write:3+:ENOSPC   so does every later one
//   GCAN_FAULT_UNDER=/folder     of files below that folder alone
//   GCAN_FAULT_LOG=/file         gets a line for each counted call, and one that begins with FAULT for each
//   failed one
//   GCAN_FAULT_SERVER=5,6        starts gcan-torch once for many runs, because loading LibTorch takes longer
//   than they do: for each line "FOLDER FAULT OUTPUT" (FAULT may be "none") from descriptor 5 a fork runs the
//   program in that folder and writes what it says to OUTPUT; its process number and then its wait status
//   are written to descriptor 6, each on a line
//
// Calls: write (also pwrite and writev), fsync (also fdatasync), rename, close, truncate, link (also
// symlink), mkdir, flock. Each process counts for itself.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Plan {
  char call[32] = "";
  long number = 0;
  bool onwards = false, is_short = false;
  int error = 0;
  const char* under = nullptr;
  const char* log = nullptr;

  Plan() {
    under = std::getenv("GCAN_FAULT_UNDER");
    log = std::getenv("GCAN_FAULT_LOG");
    const char* text = std::getenv("GCAN_FAULT");
    char name[32] = "", number_text[32] = "";
    if (text == nullptr || std::sscanf(text, "%31[^:]:%31[^:]:%31s", call, number_text, name) != 3) return;
    number = std::atol(number_text);
    onwards = std::strchr(number_text, '+') != nullptr;
    is_short = std::strcmp(name, "SHORT") == 0;
    struct Name {
      const char* text;
      int number;
    };
    for (const Name& known : {Name{"ENOSPC", ENOSPC}, Name{"EIO", EIO}, Name{"EINTR", EINTR},
                              Name{"ENOLCK", ENOLCK}, Name{"EDQUOT", EDQUOT}, Name{"EACCES", EACCES}})
      if (std::strcmp(known.text, name) == 0) error = known.number;
  }
};

Plan& plan() {
  static Plan made;
  return made;
}

std::array<std::atomic<long>, 8> counts;
constexpr std::array<const char*, 8> kCalls{"write",    "fsync", "rename", "close",
                                            "truncate", "link",  "mkdir",  "flock"};

bool is_under(const char* path) {
  const char* under = plan().under;
  if (under == nullptr) return true;
  char whole[2 * PATH_MAX] = "";
  if (path[0] != '/') {
    if (getcwd(whole, PATH_MAX) == nullptr) return false;
    std::strcat(whole, "/");
  }
  std::strncat(whole, path, PATH_MAX);
  return std::strncmp(whole, under, std::strlen(under)) == 0;
}

bool is_file_under(int file) {
  struct stat info {};
  if (fstat(file, &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) return false;
  char name[64], path[PATH_MAX];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  const ssize_t size = readlink(name, path, sizeof path - 1);
  if (size <= 0) return false;
  path[size] = '\0';
  return is_under(path);
}

void note(const char* call, long number, bool fault) {
  if (plan().log == nullptr) return;
  char line[128];
  const int size =
      std::snprintf(line, sizeof line, "%s%d %s %ld\n", fault ? "FAULT " : "", getpid(), call, number);
  const long file =
      syscall(SYS_openat, AT_FDCWD, plan().log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  syscall(SYS_write, file, line, size);
  syscall(SYS_close, file);
}

// Counts a call; true if it is the one that must fail.
bool fails(std::size_t which) {
  const int before = errno;
  const long number = ++counts[which];
  const bool fault = std::strcmp(plan().call, kCalls[which]) == 0 &&
                     (number == plan().number || (plan().onwards && number > plan().number));
  note(kCalls[which], number, fault);
  errno = before;
  return fault;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// What a write does instead: -1 with an error, or a part of the bytes.
template <class Write>
ssize_t faulty_write(int file, std::size_t size, const Write& write) {
  if (!is_file_under(file) || !fails(0)) return write(size);
  if (plan().is_short) return write(std::max<std::size_t>(size / 2, 1));
  errno = plan().error;
  return -1;
}

using Main = int(int, char**, char**);
Main* program = nullptr;

bool is_torch_program() {
  char path[PATH_MAX] = "";
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
  const char* name = std::strrchr(path, '/');
  return size > 0 && name != nullptr && std::strcmp(name, "/gcan-torch") == 0;
}

// In the fork: its folder, streams and fault.
void prepare_run(const char* folder, const char* fault, const char* output) {
  unsetenv("GCAN_FAULT_SERVER");
  setenv("GCAN_FAULT", fault, 1);
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (chdir(folder) != 0 || file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0) _exit(99);
  syscall(SYS_close, file);
  plan() = Plan();
  for (auto& count : counts) count = 0;
}

int serve(int requests, int answers, int argc, char** argv) {
  FILE* lines = fdopen(requests, "r");
  dprintf(answers, "ready\n");
  char folder[PATH_MAX], fault[100], output[PATH_MAX];
  while (std::fscanf(lines, "%4095s %99s %4095s", folder, fault, output) == 3) {
    const pid_t run = fork();
    if (run == 0) {
      syscall(SYS_close, requests);
      syscall(SYS_close, answers);
      prepare_run(folder, fault, output);
      return program(argc, argv, environ);
    }
    int status = 0;
    dprintf(answers, "%d\n", run);
    waitpid(run, &status, 0);
    dprintf(answers, "%d\n", status);
  }
  return 0;
}

int serve_or_run(int argc, char** argv, char** environment) {
  int requests = 0, answers = 0;
  const char* server = std::getenv("GCAN_FAULT_SERVER");
  if (server == nullptr || !is_torch_program() || std::sscanf(server, "%d,%d", &requests, &answers) != 2)
    return program(argc, argv, environment);
  return serve(requests, answers, argc, argv);
}

template <class Call>
int faulty(bool counted, std::size_t which, const Call& call) {
  if (!counted || !fails(which)) return call();
  errno = plan().error;
  return -1;
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*rtld_fini)(),
                      void* stack_end) {
  static auto* real =
      next<int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*)>("__libc_start_main");
  program = main;
  return real(serve_or_run, argc, argv, init, fini, rtld_fini, stack_end);
}

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* real = next<ssize_t(int, const void*, size_t)>("write");
  return faulty_write(file, size, [&](size_t part) { return real(file, bytes, part); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return faulty_write(file, size, [&](size_t part) { return real(file, bytes, part, at); });
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  static auto* real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return faulty_write(file, size, [&](size_t part) { return real(file, bytes, part, at); });
}

ssize_t writev(int file, const iovec* parts, int count) {
  static auto* real = next<ssize_t(int, const iovec*, int)>("writev");
  std::size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  return faulty_write(file, size, [&](size_t part) {
    if (part == size) return real(file, parts, count);
    return static_cast<ssize_t>(
        syscall(SYS_write, file, parts[0].iov_base, std::min(part, parts[0].iov_len)));
  });
}

int fsync(int file) {
  static auto* real = next<int(int)>("fsync");
  return faulty(is_file_under(file), 1, [&] { return real(file); });
}

int fdatasync(int file) {
  static auto* real = next<int(int)>("fdatasync");
  return faulty(is_file_under(file), 1, [&] { return real(file); });
}

int rename(const char* from, const char* to) {
  static auto* real = next<int(const char*, const char*)>("rename");
  return faulty(is_under(to), 2, [&] { return real(from, to); });
}

int close(int file) {
  static auto* real = next<int(int)>("close");
  // The file is closed in any case, as the system does it.
  const bool counted = (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY && is_file_under(file);
  const int result = real(file);
  return faulty(counted, 3, [&] { return result; });
}

int ftruncate(int file, off_t size) {
  static auto* real = next<int(int, off_t)>("ftruncate");
  return faulty(is_file_under(file), 4, [&] { return real(file, size); });
}

int ftruncate64(int file, off64_t size) {
  static auto* real = next<int(int, off64_t)>("ftruncate64");
  return faulty(is_file_under(file), 4, [&] { return real(file, size); });
}

int link(const char* from, const char* to) {
  static auto* real = next<int(const char*, const char*)>("link");
  return faulty(is_under(to), 5, [&] { return real(from, to); });
}

int symlink(const char* target, const char* path) {
  static auto* real = next<int(const char*, const char*)>("symlink");
  return faulty(is_under(path), 5, [&] { return real(target, path); });
}

int mkdir(const char* path, mode_t mode) {
  static auto* real = next<int(const char*, mode_t)>("mkdir");
  return faulty(is_under(path), 6, [&] { return real(path, mode); });
}

int flock(int file, int operation) {
  static auto* real = next<int(int, int)>("flock");
  return faulty(is_file_under(file), 7, [&] { return real(file, operation); });
}

}  // extern "C"
