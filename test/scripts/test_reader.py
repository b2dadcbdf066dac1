#!/usr/bin/env python3
"""Questions of a reader who has never seen the code: each is answered by a section of a page, within
two links of docs/README.md, and the files that answer it are where the section says.

usage: test_reader.py BUILD_DIRECTORY
"""
# plain build only
import collections
import re

import script
from script import ROOT

# page and heading (None: the whole page), words that the section has, files (with a function or
# word that is in them) that it names by their path or by their folder and name
Question = collections.namedtuple("Question", "text page heading words files")

QUESTIONS = [
    Question("Where is the time of impact found?", "docs/architecture.md", "Folders",
             ["time of impact along a motion path", "tac_time_of_impact"],
             {"src/detect/ccd/first_impact.c": "tac_time_of_impact"}),
    Question("How do I add a detector?", "docs/architecture.md", "Add a detector",
             ["tacDetectorKind", "responders", "derivative check"],
             {"src/detect/detect.h": "tacDetectorKind", "src/detect/detect.c": "kinds",
              "src/model/contact/contact_plan.c": "detectors"}),
    Question("What does the flag TAC_TIE mean?", "docs/flags.md", "Flags",
             ["| `TAC_TIE` |", "two active sets"], {}),
    Question("Where is eq. (16) of paper 001?", "docs/papers.md", "001: smooth contact manifold",
             ["| eq. (16) | activity |"],
             {"src/detect/manifold/manifold_edges_kernels.c": "activity"}),
    Question("What is AOPC?", "docs/papers.md", "The papers' words",
             ["| AOPC |", "articulated, oriented point cloud"], {}),
    Question("What is wrong in paper 000, P0-10, and which test shows it?", "docs/papers.md",
             "000: soft signed distance and soft-minimum contact",
             ["| P0-10 |", "tied scores"], {"test/smooth/test_soft_sort.c": "ties"}),
    Question("How do I start at a keyframe?", "docs/run.md", "Model", ["`--key NAME`", "keyframe"], {}),
    Question("How do I reset a state to a keyframe in C?", "docs/README.md", "Coming from MuJoCo",
             ["`tac_state_reset_key`"], {}),
    Question("Which call finds a body by its name?", "docs/dynamics.md", "In the code",
             ["`tac_name_id`"], {"src/model/names.c": "tac_name_id"}),
    Question("How do I get contact forces of a step?", "docs/README.md", "Coming from MuJoCo",
             ["`mj_contactForce`", "`tac_step_contacts`"], {}),
    Question("Which responder for stacking?", "docs/README.md",
             "Which contact family, with which numbers", ["stacks", '`detect="gjk" respond="lcp"`'], {}),
    Question("Which detector goes with which responder, and why not others?", "docs/contact.md",
             "Which detector with which responder", ["Why pairs are refused", "`elastoplastic`"],
             {"src/model/contact/contact_plan.c": "detectors"}),
    Question("Which family for planar scenes, and which numbers do I set first?", "docs/contact.md",
             "Which family with which numbers", ["planar scenes", "numbers to set first"], {}),
    Question("I know MuJoCo: what is mjd_transitionFD here?", "docs/README.md", "Coming from MuJoCo",
             ["`mjd_transitionFD`", "`tac_step_jacobian`"], {}),
    Question("What is qfrc_bias here?", "docs/glossary.md", "Dynamics", ["`qfrc_bias`", "Coriolis"], {}),
    Question("Where does a step begin?", "docs/computation.md", "Picture",
             ["kinematics", "integration"], {"src/step/step.c": "tac_step"}),
    Question("How do I get the gradient of a rollout?", "docs/derivatives.md", "Picture",
             ["A gradient over a rollout", "tac_rollout_vjp"], {}),
    Question("How are second derivatives made?", "docs/derivatives.md", "Model",
             ["complex build of the hand-written vjp"], {}),
    Question("My step is too long for the contact: how do I notice?", "docs/computation.md",
             "Acceleration", ["`tac_stable_timestep`", "`TAC_STIFF`"], {}),
    Question("Which code is compiled as double only?", "docs/architecture.md", "Folders",
             ["*double* once", "| `src/respond/lcp/` | double |"], {"src/respond/lcp/lcp.c": "tac_lcp_solve"}),
    Question("Which attributes changed their name?", "CHANGELOG.md", "Unreleased (0.2.0)",
             ["| `keep` | `top_k` |", "**Migration**"], {}),
    Question("Does it read URDF, and what becomes of a fixed joint?", "docs/scenes.md", "URDF",
             ["| `joint` fixed |"], {}),
    Question("How do I read a trajectory with numpy?", "docs/run.md", "Picture", ["numpy.load"], {}),
    Question("Where do contact forces enter the equation of motion?", "docs/architecture.md", "Folders",
             ["contact forces in the equation of motion"],
             {"src/step/force/contact_forces.c": "tac_contact_forces_eval"}),
    Question("How do I prove a derivative of my own scene?", "docs/derivatives.md", "The command",
             ["`--check`", "the proof"], {}),
]

LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)>\s#]+)")


def pages_within(links):
    """Pages that are reached from docs/README.md by at most so many links."""
    reached = frontier = {ROOT / "docs/README.md"}
    for _ in range(links):
        targets = {(page.parent / target).resolve() for page in frontier
                   for target in LINK.findall(page.read_text(encoding="utf-8"))}
        frontier = {t for t in targets if t.suffix == ".md" and t.exists()} - reached
        reached = reached | frontier
    return reached


def section(text, heading):
    """From a heading to the next one of its level or above; None if there is no such heading."""
    fenced = re.sub(r"^```.*?^```", lambda m: re.sub(r"(?m)^#", " ", m[0]), text, flags=re.M | re.S)
    start = re.search(rf"^(#+) {re.escape(heading)}\s*$", fenced, re.M)
    if not start:
        return None
    end = re.search(rf"^#{{1,{len(start[1])}}} ", fenced[start.end():], re.M)
    return text[start.start():start.end() + end.start() if end else len(text)]


def complaints(question, reachable):
    page = ROOT / question.page
    if page.resolve() not in reachable:
        return [f"{question.page} is not within two links of docs/README.md"]
    answer = section(page.read_text(encoding="utf-8"), question.heading)
    if answer is None:
        return [f"{question.page} has no heading '{question.heading}'"]
    found = [f"{question.page}, {question.heading}: no '{w}'" for w in question.words if w not in answer]
    for path, word in question.files.items():
        folder, _, name = path.rpartition("/")
        if path not in answer and not (f"`{folder}/`" in answer and f"`{name}`" in answer):
            found.append(f"{question.page}, {question.heading}: does not name {path}")
        if not (ROOT / path).exists():
            found.append(f"{path} does not exist")
        elif word not in (ROOT / path).read_text(encoding="utf-8"):
            found.append(f"{path} has no {word}")
    return found


def main():
    reachable = {page.resolve() for page in pages_within(2)}
    for question in QUESTIONS:
        found = complaints(question, reachable)
        script.check(question.text, not found, "; ".join(found))
    listed = set(LINK.findall((ROOT / "docs/README.md").read_text(encoding="utf-8")))
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"README.md"}
    script.check("every page is in the index", pages <= listed, f"missing: {sorted(pages - listed)}")
    script.finish()


main()
