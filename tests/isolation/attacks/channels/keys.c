// Tells another program something by a key that the kernel keeps for their user.
// pair; process: reached or refused (where the kernel has keys); restricted, sandbox: refused
#include "attack.h"

int main(void) {
    int of_user = -4;
    if (!strcmp(text("ROLE"), "receives")) return outcome(syscall(SYS_keyctl, 10, of_user, "user", text("MARK"), 0));
    long key = syscall(SYS_add_key, "user", text("MARK"), "x", 1, of_user);
    if (key < 0) return refused();
    tried();
    syscall(SYS_keyctl, 9, key, of_user);
}
