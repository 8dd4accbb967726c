// Starts another program in a thread, which takes the number and place of the first one, and takes 300 MB there.
// all: fault memory
#include "attack.h"
#include <pthread.h>

static void *become(void *itself) {
    execl(itself, itself, "take", NULL);
    exit(refused());
}

int main(int count, char **words) {
    if (count < 2) {
        pthread_t thread;
        pthread_create(&thread, NULL, become, words[0]);
        wait_and_exit();
    }
    usleep(50000);
    memset(malloc(300 << 20), 1, 300 << 20);
    sleep(1);
    return reached();
}
