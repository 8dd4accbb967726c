// Takes 300 MB.
// all: fault memory
#include "attack.h"

int main(void) {
    for (int taken = 0; taken < 300; taken++) {
        char *block = malloc(1 << 20);
        if (!block) return refused();
        memset(block, 1, 1 << 20);
    }
    return reached();
}
