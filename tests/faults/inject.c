/* Makes the file operations of a process fail, stop half-way or end the process, and writes down what they were.
 *
 * Loaded before the C library (LD_PRELOAD), it stands between a program and the calls below. It counts those that
 * concern a path below one folder and, at number AT, does one thing:
 *
 *   kill   ends the process with SIGKILL instead of making the call      after   ... right after the call
 *   fail   answers with an error, once                                   always  ... from there on, wherever it can happen
 *   short  writes half of the bytes and says so (legal)                  torn    writes half of the bytes, then SIGKILL
 *   full   writes half of the bytes; from then on the error for good
 *   ask    wakes another process and waits a moment for its answer, before the call and before so many after it
 *   none   only writes down
 *
 * Armed by the environment (FAULTS_ROOT, FAULTS_AT, FAULTS_DO, FAULTS_ERROR, FAULTS_TRACE) or by faults_arm() from inside.
 * The trace has one line per call, fields between tabs:
 *   number  call  error  can  inode  flags  offset  size  path  path2  bytes (hexadecimal; of writes)
 * `can` are letters: c changes what a disk holds · i can meet EIO · s ENOSPC · a EACCES.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static char root[PATH_MAX];    /* "" while disarmed */
static size_t root_length;
static long count, at;
static char action[16];
static int error_wanted, for_good, trace = -1;
static int asking, answering, times, unanswered, waiting; /* two pipes, how often they are used, how often in vain */

struct op {                    /* a call, as it is about to be made */
    const char *name, *can;
    long flags, offset, size;
    const void *bytes;
    int fd;                    /* whose inode the trace names; -1: that of `path`, looked up afterwards */
    unsigned long inode;       /* or this one, known before */
    char path[PATH_MAX], path2[PATH_MAX];
};

/* ---- where a call leads ---- */

static void of_descriptor(int fd, char *path)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = syscall(SYS_readlink, link, path, PATH_MAX - 1);
    path[n < 0 ? 0 : n] = 0;
}

static void of_name(int folder, const char *name, char *path)
{
    char above[PATH_MAX] = "";
    if (!name) { *path = 0; return; }
    if (*name != '/') {
        if (folder == AT_FDCWD) { if (syscall(SYS_getcwd, above, sizeof above) < 0) *above = 0; }
        else of_descriptor(folder, above);
    }
    if (snprintf(path, PATH_MAX, *above ? "%s/%s" : "%s%s", above, name) >= PATH_MAX) *path = 0;
}

static int below(const char *path)
{
    return !strncmp(path, root, root_length) && (!path[root_length] || path[root_length] == '/');
}

static int ours(const struct op *op)
{
    return *root && (below(op->path) || (*op->path2 && below(op->path2)));
}

static unsigned long inode_of(const struct op *op)
{
    struct stat seen;
    long failed = op->fd >= 0 ? syscall(SYS_fstat, op->fd, &seen)
                              : syscall(SYS_newfstatat, AT_FDCWD, op->path, &seen, AT_SYMLINK_NOFOLLOW);
    return failed ? 0 : seen.st_ino;
}

/* ---- what becomes of it ---- */

static void say(const char *text, size_t size) { if (syscall(SYS_write, trace, text, size) < 0) _exit(99); }

static char *escaped(char *to, const char *path)
{
    for (; *path; path++) {
        if ((unsigned char)*path < 32 || *path == '\\') to += sprintf(to, "\\x%02x", (unsigned char)*path);
        else *to++ = *path;
    }
    *to++ = '\t';
    return to;
}

static void write_down(const struct op *op, int error)
{
    long size = op->bytes && !error ? op->size : 0;
    char *line = malloc(512 + 8 * PATH_MAX + 2 * size), *end = line;
    if (!line) _exit(99);
    end += sprintf(end, "%ld\t%s\t%d\t%s\t%lu\t%ld\t%ld\t%ld\t", count, op->name, error, op->can,
                   op->inode ? op->inode : inode_of(op), op->flags, op->offset, op->size);
    end = escaped(escaped(end, op->path), op->path2);
    for (long i = 0; i < size; i++) end += sprintf(end, "%02x", ((const unsigned char *)op->bytes)[i]);
    *end++ = '\n';
    say(line, end - line);
    free(line);
}

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); for (;;) pause(); }

static int may_meet(const struct op *op, int error)
{
    return strchr(op->can, error == EIO ? 'i' : error == ENOSPC ? 's' : 'a') != NULL;
}

enum { PATIENCE = 80 };        /* milliseconds; the other may be held off by a lease of ours, and answer later */

static void ask(void)
{
    char word = 'x';
    struct pollfd answer = {.fd = answering, .events = POLLIN};
    if (!waiting && syscall(SYS_write, asking, &word, 1L) != 1) return;
    if (poll(&answer, 1, waiting ? 0 : PATIENCE) > 0) {
        waiting = 0;
        (void)!syscall(SYS_read, answering, &word, 1L);
    } else if (!waiting) {
        waiting = 1;
        unanswered++;
    }
}

/* Counts a call; true where it must fail instead, with errno set. */
static int strike(struct op *op)
{
    int here = ++count == at;
    if (here && !strcmp(action, "kill")) die();
    if (!strcmp(action, "ask") && count >= at && count < at + times) ask();
    if (here && (!strcmp(action, "always") || (!strcmp(action, "full") && !op->bytes))) for_good = 1;
    if ((here && !strcmp(action, "fail")) || (for_good && may_meet(op, error_wanted))) {
        if (trace >= 0) write_down(op, error_wanted);
        errno = error_wanted;
        return 1;
    }
    return 0;
}

/* How many of the bytes of a write are let through. */
static size_t allowed(const struct op *op)
{
    int halved = !strcmp(action, "short") || !strcmp(action, "torn") || !strcmp(action, "full");
    return count == at && halved && op->size > 1 ? op->size / 2 : op->size;
}

static long done(struct op *op, long result)
{
    int error = result < 0 ? errno : 0;
    if (op->bytes && result >= 0) op->size = result;
    if (trace >= 0) write_down(op, error);
    if (count == at && (!strcmp(action, "after") || !strcmp(action, "torn"))) die();
    if (count == at && !strcmp(action, "full")) for_good = 1;
    errno = error;
    return result;
}

/* ---- from inside the process ---- */

void faults_arm(const char *folder, long number, const char *what, int error, const char *file)
{
    if (trace >= 0) syscall(SYS_close, trace);
    trace = file && *file ? syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    count = for_good = 0;
    at = number;
    error_wanted = error;
    snprintf(action, sizeof action, "%s", what);
    snprintf(root, sizeof root, "%s", folder);
    root_length = strlen(root);
}

void faults_ask(int to, int from, int how_often) { asking = to; answering = from; times = how_often, unanswered = waiting = 0; }
void faults_disarm(void) { *root = 0; }
long faults_count(void) { return count; }
int faults_unanswered(void) { return unanswered; }

/* Puts a word of the program itself into the trace: «from here on the caller was told that it is written». */
void faults_mark(const char *word)
{
    struct op op = {.name = "mark", .can = "", .fd = -1, .inode = 1};
    snprintf(op.path, sizeof op.path, "%s", word);
    if (*root && trace >= 0) write_down(&op, 0);
}

__attribute__((constructor)) static void from_environment(void)
{
    const char *folder = getenv("FAULTS_ROOT"), *number = getenv("FAULTS_AT"), *what = getenv("FAULTS_DO");
    const char *error = getenv("FAULTS_ERROR");
    if (folder)
        faults_arm(folder, number ? atol(number) : 0, what ? what : "none", error ? atoi(error) : EIO,
                   getenv("FAULTS_TRACE"));
}

/* ---- the calls ---- */

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)
#define OP(call, letters, ...) struct op op = {.name = call, .can = letters, .fd = -1, ##__VA_ARGS__}

/* A call on an open file. */
#define ON_DESCRIPTOR(result, name, call, letters, parameters, arguments, ...) \
    result name parameters \
    { \
        REAL(result, name, __VA_ARGS__); \
        if (!*root) return real arguments; \
        OP(call, letters, .fd = fd); \
        of_descriptor(fd, op.path); \
        if (!ours(&op)) return real arguments; \
        return strike(&op) ? -1 : done(&op, real arguments); \
    }
/* A call on one name. */
#define ON_NAME(result, name, call, letters, folder, parameters, arguments, ...) \
    result name parameters \
    { \
        REAL(result, name, __VA_ARGS__); \
        if (!*root) return real arguments; \
        OP(call, letters); \
        of_name(folder, path, op.path); \
        if (!ours(&op)) return real arguments; \
        op.inode = inode_of(&op); /* before it may be gone */ \
        return strike(&op) ? -1 : done(&op, real arguments); \
    }
/* A call on two names. */
#define ON_NAMES(name, call, letters, from_folder, to_folder, bits, parameters, arguments, ...) \
    int name parameters \
    { \
        REAL(int, name, __VA_ARGS__); \
        if (!*root) return real arguments; \
        OP(call, letters, .flags = bits); \
        of_name(from_folder, from, op.path); \
        of_name(to_folder, to, op.path2); \
        if (!ours(&op)) return real arguments; \
        op.inode = inode_of(&op); \
        return strike(&op) ? -1 : done(&op, real arguments); \
    }

/* open: `mode` is only there when a file may be made */
#define OPEN(name, folder_parameter, folder, folder_argument) \
    int name(folder_parameter const char *path, int flags, ...) \
    { \
        static int (*real)(folder_parameter const char *, int, ...); \
        if (!real) real = (int (*)(folder_parameter const char *, int, ...))dlsym(RTLD_NEXT, #name); \
        int makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = makes ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        if (!*root) return real(folder_argument path, flags, mode); \
        OP("open", makes ? "cisa" : flags & O_TRUNC ? "cia" : "ia", .flags = flags); \
        of_name(folder, path, op.path); \
        if (!ours(&op)) return real(folder_argument path, flags, mode); \
        if (strike(&op)) return -1; \
        op.fd = real(folder_argument path, flags, mode); \
        if (op.fd >= 0) of_descriptor(op.fd, op.path); /* where it really led */ \
        return done(&op, op.fd); \
    }
#define NOTHING
#define FOLDER int folder,
#define COMMA_FOLDER folder,
OPEN(open, NOTHING, AT_FDCWD, NOTHING)
OPEN(open64, NOTHING, AT_FDCWD, NOTHING)
OPEN(openat, FOLDER, folder, COMMA_FOLDER)
OPEN(openat64, FOLDER, folder, COMMA_FOLDER)

#define WRITE(name, where, parameters, short_arguments, ...) \
    ssize_t name parameters \
    { \
        REAL(ssize_t, name, __VA_ARGS__); \
        OP("write", "cis", .fd = fd, .bytes = buffer, .size = size, .offset = *root ? (where) : 0); \
        if (*root) of_descriptor(fd, op.path); \
        if (!ours(&op)) return real short_arguments; \
        if (strike(&op)) return -1; \
        size = allowed(&op); \
        return done(&op, real short_arguments); \
    }
static long end_or_place(int fd)
{
    struct stat seen;
    if (syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND) return syscall(SYS_fstat, fd, &seen) ? 0 : seen.st_size;
    return syscall(SYS_lseek, fd, 0L, SEEK_CUR);
}
WRITE(write, end_or_place(fd), (int fd, const void *buffer, size_t size), (fd, buffer, size), int, const void *, size_t)
WRITE(pwrite, place, (int fd, const void *buffer, size_t size, off_t place), (fd, buffer, size, place),
      int, const void *, size_t, off_t)
WRITE(pwrite64, place, (int fd, const void *buffer, size_t size, off_t place), (fd, buffer, size, place),
      int, const void *, size_t, off_t)

ON_DESCRIPTOR(ssize_t, read, "read", "i", (int fd, void *b, size_t n), (fd, b, n), int, void *, size_t)
ON_DESCRIPTOR(ssize_t, pread, "read", "i", (int fd, void *b, size_t n, off_t o), (fd, b, n, o), int, void *, size_t, off_t)
ON_DESCRIPTOR(ssize_t, pread64, "read", "i", (int fd, void *b, size_t n, off_t o), (fd, b, n, o),
              int, void *, size_t, off_t)
ON_DESCRIPTOR(int, fsync, "fsync", "cis", (int fd), (fd), int)
ON_DESCRIPTOR(int, fdatasync, "fsync", "cis", (int fd), (fd), int)
ON_DESCRIPTOR(int, fchmod, "chmod", "cia", (int fd, mode_t m), (fd, m), int, mode_t)
ON_DESCRIPTOR(int, fchown, "chown", "cia", (int fd, uid_t u, gid_t g), (fd, u, g), int, uid_t, gid_t)
ON_DESCRIPTOR(int, fsetxattr, "setxattr", "cisa", (int fd, const char *k, const void *v, size_t n, int f),
              (fd, k, v, n, f), int, const char *, const void *, size_t, int)
ON_DESCRIPTOR(ssize_t, fgetxattr, "getxattr", "ia", (int fd, const char *k, void *v, size_t n), (fd, k, v, n),
              int, const char *, void *, size_t)
ON_DESCRIPTOR(ssize_t, flistxattr, "listxattr", "ia", (int fd, char *v, size_t n), (fd, v, n), int, char *, size_t)
ON_DESCRIPTOR(int, futimens, "utime", "cia", (int fd, const struct timespec t[2]), (fd, t), int, const struct timespec *)
ON_DESCRIPTOR(int, flock, "lock", "i", (int fd, int what), (fd, what), int, int)
ON_DESCRIPTOR(int, fstat, "stat", "i", (int fd, struct stat *s), (fd, s), int, struct stat *)
ON_DESCRIPTOR(int, fstat64, "stat", "i", (int fd, struct stat64 *s), (fd, s), int, struct stat64 *)

ON_NAME(int, stat, "stat", "ia", AT_FDCWD, (const char *path, struct stat *s), (path, s), const char *, struct stat *)
ON_NAME(int, stat64, "stat", "ia", AT_FDCWD, (const char *path, struct stat64 *s), (path, s), const char *, struct stat64 *)
ON_NAME(int, lstat, "stat", "ia", AT_FDCWD, (const char *path, struct stat *s), (path, s), const char *, struct stat *)
ON_NAME(int, lstat64, "stat", "ia", AT_FDCWD, (const char *path, struct stat64 *s), (path, s), const char *, struct stat64 *)
ON_NAME(int, fstatat, "stat", "ia", folder, (int folder, const char *path, struct stat *s, int f), (folder, path, s, f),
        int, const char *, struct stat *, int)
ON_NAME(int, fstatat64, "stat", "ia", folder, (int folder, const char *path, struct stat64 *s, int f), (folder, path, s, f),
        int, const char *, struct stat64 *, int)
ON_NAME(ssize_t, readlink, "readlink", "ia", AT_FDCWD, (const char *path, char *b, size_t n), (path, b, n),
        const char *, char *, size_t)
ON_NAME(ssize_t, readlinkat, "readlink", "ia", folder, (int folder, const char *path, char *b, size_t n),
        (folder, path, b, n), int, const char *, char *, size_t)
ON_NAME(int, unlink, "unlink", "cia", AT_FDCWD, (const char *path), (path), const char *)
ON_NAME(int, unlinkat, flags & AT_REMOVEDIR ? "rmdir" : "unlink", "cia", folder, (int folder, const char *path, int flags),
        (folder, path, flags), int, const char *, int)
ON_NAME(int, rmdir, "rmdir", "cia", AT_FDCWD, (const char *path), (path), const char *)
ON_NAME(int, chmod, "chmod", "cia", AT_FDCWD, (const char *path, mode_t m), (path, m), const char *, mode_t)
ON_NAME(int, mkdir, "mkdir", "cisa", AT_FDCWD, (const char *path, mode_t m), (path, m), const char *, mode_t)
ON_NAME(int, mkdirat, "mkdir", "cisa", folder, (int folder, const char *path, mode_t m), (folder, path, m),
        int, const char *, mode_t)

ON_NAMES(rename, "rename", "cisa", AT_FDCWD, AT_FDCWD, 0, (const char *from, const char *to), (from, to),
         const char *, const char *)
ON_NAMES(renameat, "rename", "cisa", a, b, 0, (int a, const char *from, int b, const char *to), (a, from, b, to),
         int, const char *, int, const char *)
ON_NAMES(renameat2, "rename", "cisa", a, b, f, (int a, const char *from, int b, const char *to, unsigned f),
         (a, from, b, to, f), int, const char *, int, const char *, unsigned)
ON_NAMES(link, "link", "cisa", AT_FDCWD, AT_FDCWD, 0, (const char *from, const char *to), (from, to),
         const char *, const char *)
ON_NAMES(linkat, "link", "cisa", a, b, f, (int a, const char *from, int b, const char *to, int f), (a, from, b, to, f),
         int, const char *, int, const char *, int)

/* where `offset` is the new length, or `flags` says which lock, the trace wants them */
#define TRUNCATE(name) \
    int name(int fd, off_t length) \
    { \
        REAL(int, name, int, off_t); \
        OP("truncate", "cis", .fd = fd, .offset = length); \
        if (*root) of_descriptor(fd, op.path); \
        if (!ours(&op)) return real(fd, length); \
        return strike(&op) ? -1 : done(&op, real(fd, length)); \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int close(int fd)
{
    REAL(int, close, int);
    if (!*root) return real(fd);
    OP("close", "i");
    of_descriptor(fd, op.path);
    int only_read = (syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) == O_RDONLY; /* such a close has no bad news */
    if (only_read || !ours(&op)) return real(fd);
    op.inode = (op.fd = fd, inode_of(&op));
    if (strike(&op)) { real(fd); errno = error_wanted; return -1; } /* as in Linux: the file is closed, the error is news */
    return done(&op, real(fd));
}

#define FCNTL(name) \
    int name(int fd, int what, ...) \
    { \
        static int (*real)(int, int, ...); \
        if (!real) real = (int (*)(int, int, ...))dlsym(RTLD_NEXT, #name); \
        va_list more; \
        va_start(more, what); \
        void *argument = va_arg(more, void *); \
        va_end(more); \
        int locks = what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK || what == F_OFD_SETLKW; \
        if (!*root || (!locks && what != F_SETLEASE)) return real(fd, what, argument); \
        OP(locks ? "lock" : "lease", "ia", .fd = fd, .flags = locks ? what : (long)argument); \
        of_descriptor(fd, op.path); \
        if (!ours(&op)) return real(fd, what, argument); \
        return strike(&op) ? -1 : done(&op, real(fd, what, argument)); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

DIR *fdopendir(int fd)
{
    REAL(DIR *, fdopendir, int);
    if (!*root) return real(fd);
    OP("list", "ia", .fd = fd);
    of_descriptor(fd, op.path);
    if (!ours(&op)) return real(fd);
    if (strike(&op)) return NULL;
    DIR *result = real(fd);
    done(&op, result ? 0 : -1);
    return result;
}

DIR *opendir(const char *path)
{
    REAL(DIR *, opendir, const char *);
    if (!*root) return real(path);
    OP("list", "ia");
    of_name(AT_FDCWD, path, op.path);
    if (!ours(&op)) return real(path);
    if (strike(&op)) return NULL;
    DIR *result = real(path);
    done(&op, result ? 0 : -1);
    return result;
}
