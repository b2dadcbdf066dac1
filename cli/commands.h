// The subcommands of `tactus`. Each gets its own name as argv[0] and returns an exit code.

#ifndef TACTUS_CLI_COMMANDS_H
#define TACTUS_CLI_COMMANDS_H

int tac_cmd_check(int argc, char** argv);
int tac_cmd_run(int argc, char** argv);
int tac_cmd_sdf(int argc, char** argv);
int tac_cmd_contacts(int argc, char** argv);
int tac_cmd_render(int argc, char** argv);
int tac_cmd_mesh(int argc, char** argv);
int tac_cmd_grad(int argc, char** argv);
int tac_cmd_derive(int argc, char** argv);
int tac_cmd_reproduce(int argc, char** argv);
int tac_cmd_bench(int argc, char** argv);

#endif
