// Convex pieces of a model's geoms, placed in the world.

#ifndef TAC_DETECT_PIECES_H
#define TAC_DETECT_PIECES_H

#include "detect/convex.h"
#include "detect/patch.h"
#include "tactus/contact.h"

// the piece at a pose of its body, in doubles
tacConvex tac_piece_at(const tacModel* model, int piece, tacPose body);

// where it is in the number type of the model
tacPlace tac_piece_place(const tacModel* model, int piece, tacPose body);

int tac_piece_body(const tacModel* model, int piece);

#endif
