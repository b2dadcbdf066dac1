// Numbers of a scene in formulas: as they are, or as symbols where the user wants those.

#ifndef TAC_SYMBOLIC_SCENE_H
#define TAC_SYMBOLIC_SCENE_H

#include "symbolic/vec.h"

typedef struct tacScene {
    tacGraph* g;
    const tacModel* model;
    const tacSceneSymbols* symbols; // NULL: none
} tacScene;

// 1 if one of `count` parameters is a symbol
int tac_scene_is_symbol(const tacScene* s, int offset, int count);

// one parameter, three of them
tacExpr tac_scene_number(const tacScene* s, int offset);
exprVec tac_scene_vec(const tacScene* s, int offset);

// symbols such as q0, q1 ..
void tac_scene_name(tacGraph* g, char letter, int count, tacExpr* out);

#endif
