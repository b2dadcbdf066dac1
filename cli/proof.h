// Proofs of derivatives as the command prints them.

#ifndef TACTUS_CLI_PROOF_H
#define TACTUS_CLI_PROOF_H

#include "check/check.h"

// Runs the comparisons with progress and prints a line for each kind. CLI_FINE, CLI_NO if one of
// them is off, or CLI_WRONG after a complaint.
int cli_prove(const tacCheckProblem* problem, tacCheckOptions options, int as_json);

#endif
