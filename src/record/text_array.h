// Texts as arrays of numpy.

#ifndef TAC_RECORD_TEXT_ARRAY_H
#define TAC_RECORD_TEXT_ARRAY_H

#include "record/column.h"
#include "record/npy.h"

#include <stdint.h>

// Names of `count` columns as one array. Its data are the caller's to free, NULL without memory.
typedef void (*tacColumnName)(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);
tacNpy tac_text_array(const tacModel* model, tacColumnName name, int first, int count);

// One text, in memory of the caller.
tacNpy tac_text_one(const char* text, uint32_t data[TAC_COLUMN_SIZE]);

#endif
