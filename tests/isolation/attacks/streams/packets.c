// Has its output and its errors keep every write apart, and writes 3,000 letters to each, one at a time.
// all: refused (packets are read like anything else)
#include "attack.h"

int main(void) {
    for (int stream = 1; stream < 3; stream++) fcntl(stream, F_SETFL, fcntl(stream, F_GETFL) | O_DIRECT);
    for (int letter = 0; letter < 3000; letter++) {
        write(2, "x", 1);
        write(1, letter < 6 ? "tried:" + letter : "x", 1);
    }
    write(1, "\n", 1);
    return tried();
}
