// A number that tells whether two models move alike.

#ifndef TAC_RECORD_FINGERPRINT_H
#define TAC_RECORD_FINGERPRINT_H

#include "tactus/model.h"

#define TAC_FINGERPRINT_SIZE 17 // bytes of the text

// 16 hexadecimal digits from the tree, the joints, the actuators, the options, the names and the
// values of all parameters; not from colours, lights and cameras.
void tac_fingerprint(const tacModel* model, char text[TAC_FINGERPRINT_SIZE]);

#endif
