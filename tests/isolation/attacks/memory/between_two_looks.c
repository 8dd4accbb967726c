// Takes 300 MB for five milliseconds, again and again, in a child that ends with it.
// all: refused or fault memory; all without memory: reached or refused or fault memory (it is measured now and then)
#include "attack.h"

int main(void) {
    for (int time = 0; time < 5; time++) {
        int child = fork(), status;
        if (child == 0) {
            for (int part = 0; part < 300; part++) memset(malloc(1 << 20), 1, 1 << 20);
            usleep(5000);
            _exit(0);
        }
        waitpid(child, &status, 0);
        errno = ENOMEM;
        if (status) return refused();
        usleep(50000);
    }
    return reached();
}
