// A disk that fails: what is preloaded with this library counts its writes, syncs and renames below a folder, and one
// of them fails as on a full disk. `fault_at(n, folder)` arms it, `fault_calls()` says how many there were.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static long calls, failing;

void fault_at(long n, const char* where) {
    snprintf(folder, sizeof folder, "%s", where);
    calls = 0;
    failing = n;
}

long fault_calls(void) { return calls; }

static int struck(void) {
    if (++calls != failing) return 0;
    errno = ENOSPC;
    return 1;
}

static int below(const char* path) { return *folder && !strncmp(path, folder, strlen(folder)); }

static int ours(int file) {
    char link[64], path[4096];
    if (!*folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return below(path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Half of what should be written is, before the disk is full.
#define HALF(name, ...)                        \
    if (ours(file) && struck()) {              \
        (void)REAL(name)(file, data, n / 2 __VA_OPT__(, ) __VA_ARGS__); \
        errno = ENOSPC;                        \
        return -1;                             \
    }                                          \
    return REAL(name)(file, data, n __VA_OPT__(, ) __VA_ARGS__)

ssize_t write(int file, const void* data, size_t n) { HALF(write); }
ssize_t pwrite(int file, const void* data, size_t n, off_t at) { HALF(pwrite, at); }
ssize_t pwrite64(int file, const void* data, size_t n, off64_t at) { HALF(pwrite64, at); }

int fsync(int file) { return ours(file) && struck() ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return ours(file) && struck() ? -1 : REAL(fdatasync)(file); }
int ftruncate(int file, off_t n) { return ours(file) && struck() ? -1 : REAL(ftruncate)(file, n); }
int ftruncate64(int file, off64_t n) { return ours(file) && struck() ? -1 : REAL(ftruncate64)(file, n); }
int rename(const char* from, const char* to) { return below(to) && struck() ? -1 : REAL(rename)(from, to); }
int renameat(int a, const char* from, int b, const char* to) {
    return below(to) && struck() ? -1 : REAL(renameat)(a, from, b, to);
}
