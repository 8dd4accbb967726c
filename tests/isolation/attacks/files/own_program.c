// Overwrites the file of its own program, which others may run, while it runs something else.
// process: reached; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    fcntl(open("/proc/self/exe", O_PATH), F_DUPFD, 9);
    execl("/bin/sh", "sh", "-c", "(: >>/proc/self/fd/9) 2>/dev/null && echo reached || echo refused; read line", NULL);
    return refused();
}
