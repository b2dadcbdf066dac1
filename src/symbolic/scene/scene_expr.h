// Numbers of a scene in formulas: as values, or as symbols where the user wants those.

#ifndef TAC_SYMBOLIC_SCENE_SCENE_EXPR_H
#define TAC_SYMBOLIC_SCENE_SCENE_EXPR_H

#include "symbolic/expr/expr_vec.inl"

typedef struct tacSceneExpr {
    tacGraph* g;
    const tacModel* model;
    const tacSceneSymbols* symbols; // NULL: none
} tacSceneExpr;

// 1 if one of `count` parameters is a symbol
int tac_scene_is_symbol(const tacSceneExpr* s, int offset, int count);

// one parameter, three of them
tacExpr tac_scene_number(const tacSceneExpr* s, int offset);
exprVec tac_scene_vec(const tacSceneExpr* s, int offset);

// symbols such as q0, q1 ..
void tac_scene_symbols(tacGraph* g, char letter, int count, tacExpr* out);

#endif
