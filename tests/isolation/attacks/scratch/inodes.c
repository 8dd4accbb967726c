// Makes 60,000 files without content, for each of which the kernel keeps a kilobyte.
// process, restricted: reached (the disk has room for them); sandbox: reached or fault memory (they count as its memory)
#include "attack.h"

int main(void) {
    if (chdir(text("TMPDIR"))) return refused();
    for (int number = 0; number < 60000; number++) {
        char name[16];
        snprintf(name, sizeof name, "%d", number);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0) return refused();
        close(file);
    }
    return reached();
}
