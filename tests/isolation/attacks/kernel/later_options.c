// Uses an option that a call got after the list of allowed calls was reviewed: any that answers with other than an error.
// process: reached or refused; restricted, sandbox: refused
#include "attack.h"

int main(void) {
    for (int option = 57; option < 4096; option++)
        for (int value = 0; value < 2; value++)
            if (prctl(option, value, 0, 0, 0) != -1 || (errno != EINVAL && errno != ENOSYS))
                return said("reached by option %d", option);
    errno = EPERM;
    return refused();
}
