// Makes the judge's terminal its own, to stop what runs there.
// process: reached or refused (as root); restricted, sandbox: refused
#include "attack.h"
#include <sys/ioctl.h>

int main(void) {
    setsid();
    int terminal = open(text("TERMINAL"), O_RDWR | O_NOCTTY);
    return terminal < 0 ? refused() : outcome(ioctl(terminal, TIOCSCTTY, 1));
}
