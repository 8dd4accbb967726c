// Types a line into the judge's terminal.
// process: reached or refused (where the kernel lets root); restricted, sandbox: refused
#include "attack.h"
#include <sys/ioctl.h>

int main(void) {
    int terminal = open(text("TERMINAL"), O_RDWR);
    if (terminal < 0) return refused();
    for (const char *next = "id\n"; *next; next++)
        if (ioctl(terminal, TIOCSTI, next)) return refused();
    return reached();
}
