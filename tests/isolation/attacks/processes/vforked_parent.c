// Waits for a child that never ends, which only a signal to that ends.
// all: refused or fault timeout
#include "attack.h"

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("tried\n");
    if (vfork() == 0) wait_and_exit();
    return 0;
}
