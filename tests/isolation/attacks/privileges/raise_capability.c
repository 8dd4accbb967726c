// Passes a right on to all that it starts.
// all: refused
#include "attack.h"

int main(void) {
    for (int right = 0; right < 41; right++)
        if (!prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, right, 0, 0)) return reached();
    return refused();
}
