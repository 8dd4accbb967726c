// Asks for the number by which the results can be opened without their path.
// process: reached or refused (not on every file system); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    struct {
        struct file_handle head;
        unsigned char body[128];
    } found = {{128}};
    int mount;
    return outcome(name_to_handle_at(AT_FDCWD, text("RESULTS"), &found.head, &mount, 0));
}
