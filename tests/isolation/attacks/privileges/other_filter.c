// Adds a filter of system calls that allows all, for the later one to count.
// process: reached; restricted, sandbox: refused
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>

int main(void) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
    return outcome(socket(AF_INET, SOCK_STREAM, 0));
}
