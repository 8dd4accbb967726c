// Has itself asked about the system calls of its children.
// process: reached or refused (from Linux 5.0); restricted, sandbox: refused
#include "attack.h"
#include <linux/filter.h>
#include <linux/seccomp.h>

int main(void) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return outcome(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}
