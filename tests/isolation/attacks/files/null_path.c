// Opens a file without a name, which a filter could mistake for a harmless one.
// all: refused
#include "attack.h"

int main(void) { return outcome(syscall(SYS_openat, AT_FDCWD, NULL, O_RDWR)); }
