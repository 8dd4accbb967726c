// Leaves 300 dead children that it does not collect.
// all: refused or fault memory; process, restricted without processes: reached or refused or fault memory or fault crash (they are counted now and then)
#include "attack.h"

int main(void) {
    for (int number = 0; number < 300; number++) {
        int child = fork();
        if (child < 0) return refused();
        if (child == 0) _exit(0);
    }
    return reached();
}
