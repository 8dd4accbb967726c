// Opens the root of the machine's disk by its number.
// process: reached or refused (as root, on most file systems); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    struct {
        struct file_handle head;
        unsigned char body[8];
    } root = {{8, 1}, {2, 0, 0, 0, 0, 0, 0, 0}};
    int here = open("/", O_RDONLY);
    return here < 0 ? refused() : outcome(open_by_handle_at(here, &root.head, O_RDONLY));
}
