// Makes a system call that is not in the reviewed list, whatever its number: all below 1,024, with arguments that none accepts.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    static char reviewed[1024];
    char *list = strdup(text("REVIEWED"));
    if (!*list) return reached();
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
        if (atoi(word) >= 0 && atoi(word) < 1024) reviewed[atoi(word)] = 1;
    for (int call = 0; call < 1024; call++) {
        int state = 0, child = reviewed[call] ? 0 : fork();
        if (reviewed[call]) continue;
        if (child == 0) {
            alarm(2);
            _exit(syscall(call, -1, -1, -1, -1, -1, -1) == -1 && errno == ENOSYS ? 0 : 1);
        }
        waitpid(child, &state, 0);
        // The kernel itself lets uretprobe and uprobe past every filter; they do nothing outside pages that a tracer has made.
        if (state && call != 335 && call != 336) return said("reached by the call %d", call);
    }
    errno = ENOSYS;
    return refused();
}
