// Runs code that it has written.
// all: reached (machine code made at run time is what compilers need)
#include "attack.h"

int main(void) {
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return code == MAP_FAILED ? refused() : reached();
}
