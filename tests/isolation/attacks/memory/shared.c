// Takes 300 MB as memory that its children could share.
// all: fault memory
#include "attack.h"

int main(void) {
    char *block = mmap(NULL, 300 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return refused();
    memset(block, 1, 300 << 20);
    sleep(1);
    return reached();
}
