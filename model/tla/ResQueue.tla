\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
------------------------------ MODULE ResQueue ------------------------------
(* The word, the pending bit, the MCS queue, the ways out of it (hand-over of *)
(* headship, cut with signals 2 and 3) and nested contexts: docs/lock.md,     *)
(* sections 1, 2 and 4.  Verdicts are nondeterministic here, within a budget: *)
(* the queue must survive every one of them.  ResDetect.tla asks when they    *)
(* are right.                                                                 *)
(*                                                                            *)
(* One action per shared access.  What only the own CPU writes is a step of   *)
(* its own where an interrupt can tell the difference.  Scripts are finite    *)
(* and waiting is blocking, so the state graph has no cycle: a run that does  *)
(* not end is a state without successor that is not Done (checked as TLC's    *)
(* deadlock), and Ends states the same under weak fairness.                   *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    CPU, LOCK,
    ROUNDS,     \* acquisitions per task
    IRQS,       \* interrupts that may come, all CPUs together
    NMIS,       \* the same for NMIs
    SLOTS,      \* wait records per CPU
    BIG,        \* CPUs whose tag is always ESC
    LIMIT,      \* time limits may strike
    STALLS,     \* owners that may never release
    VERDICTS,   \* -EDEADLK verdicts of PENDING, HEAD and re-queued waiters
    CUTS,       \* cuts with signal 3
    BREAK       \* a deliberate fault, "none" for the real thing

VARIABLES
    w,          \* lock -> byte, pending, tail
    cx,         \* context -> program counter and locals
    node,       \* cpu -> next, locked, cut
    cp,         \* cpu -> nwait, tag, wait records, escape table, escaping, level
    bg,         \* budgets
    own,        \* ghost: lock -> contexts inside
    ord         \* ghost: lock -> uncut queue in order of arrival

vars == <<w, cx, node, cp, bg, own, ord>>

DEPTH == (IF IRQS > 0 THEN 1 ELSE 0) + (IF NMIS > 0 THEN 1 ELSE 0)
CTX == CPU \X (0..DEPTH)
None == "none"
ESC == "esc"
Free == [b |-> None, p |-> 0, t |-> None]
Off == [pc |-> "off", l |-> None, v |-> None, s |-> 0, tag |-> None, r |-> None, nmi |-> FALSE]
Clean == [nx |-> None, lk |-> 0, cut |-> None]
Base(c) == IF c \in BIG THEN ESC ELSE c
Idle(c) == [n |-> 0, tag |-> Base(c), rec |-> [i \in 0..SLOTS-1 |-> None], held |-> {}, esc |-> 0,
            top |-> 0]
Budget == [irq |-> IRQS, nmi |-> NMIS, stall |-> STALLS, dl |-> VERDICTS, cut |-> CUTS,
           round |-> [c \in CPU |-> ROUNDS]]

Init ==
    /\ w = [l \in LOCK |-> Free]
    /\ cx = [k \in CTX |-> IF k[2] = 0 THEN [Off EXCEPT !.pc = "idle"] ELSE Off]
    /\ node = [c \in CPU |-> Clean]
    /\ cp = [c \in CPU |-> Idle(c)]
    /\ bg = Budget
    /\ own = [l \in LOCK |-> {}]
    /\ ord = [l \in LOCK |-> <<>>]

-----------------------------------------------------------------------------
Pc(k) == cx[k].pc
L(k) == cx[k].l
W(k) == w[L(k)]
Me(k) == k[1]
At(k, pc) == Pc(k) = pc /\ cp[k[1]].top = k[2]
Broken(what) == BREAK = what

Go(k, pc) == cx' = [cx EXCEPT ![k].pc = pc]
GoV(k, pc, v) == cx' = [cx EXCEPT ![k].pc = pc, ![k].v = v]
GoR(k, pc, r) == cx' = [cx EXCEPT ![k].pc = pc, ![k].r = r]
SetW(k, x) == w' = [w EXCEPT ![L(k)] = x]
Enter(k) == own' = [own EXCEPT ![L(k)] = @ \cup {k}]
Without(seq, k) == SelectSeq(seq, LAMBDA x : x # k)
LeaveQ(k) == ord' = [ord EXCEPT ![L(k)] = Without(@, k)]

\* what an acquisition of this context stores in the locked byte
NestTag(k) == IF cp[k[1]].n = 0 THEN Base(k[1]) ELSE ESC
SlowTag(k) == IF cx[k].s = 0 THEN Base(k[1]) ELSE ESC
AfterGrab(k) == IF SlowTag(k) = ESC THEN "hadd" ELSE "we1"
AfterStore(k) == IF SlowTag(k) = ESC THEN "hadd" ELSE "toff"

Mine(c, l) == w[l].b = c \/ (w[l].b = ESC /\ l \in cp[c].held)
Live(c) == {cp[c].rec[i] : i \in 0..SLOTS-1} \ {None}

\* section 4: contexts that must not wait
Nested(k) == LET c == k[1] IN
    \/ cp[c].n >= SLOTS
    \/ cx[k].nmi /\ cp[c].n > 0 /\ ~Broken("nmi-waits")
    \/ cx[k].nmi /\ cp[c].esc > 0 /\ ~Broken("no-escaping")
    \/ L(k) \in Live(c) /\ ~Broken("no-record")
-----------------------------------------------------------------------------
(* arrival of work *)
Start(k) ==
    /\ At(k, "idle") /\ bg.round[k[1]] > 0
    /\ \E l \in LOCK : cx' = [cx EXCEPT ![k] = [Off EXCEPT !.pc = "fast", !.l = l]]
    /\ bg' = [bg EXCEPT !.round[k[1]] = @ - 1]
    /\ UNCHANGED <<w, node, cp, own, ord>>

\* after an atomic, before what shows its result
InQueue == {"qtry", "xchg", "link", "mwait", "head", "claim", "store", "toff", "wnext", "grant", "hoff",
            "cut", "pass", "cnext", "csig", "csent"}
IrqsOff == InQueue \cup {"setp2", "undo", "e2", "e3", "e4", "e5", "hadd", "u2", "u3", "u3b", "u4"}

Nest(c, nmi) ==
    LET k == <<c, cp[c].top>> IN
    LET up == <<c, cp[c].top + 1>> IN
    /\ k[2] < DEPTH /\ Pc(k) # "idle"
    /\ ~cx[k].nmi /\ (~nmi => k[2] = 0 /\ Pc(k) \notin IrqsOff)
    /\ \E l \in LOCK : cx' = [cx EXCEPT ![up] = [Off EXCEPT !.pc = "fast", !.l = l, !.nmi = nmi]]
    /\ cp' = [cp EXCEPT ![c].top = @ + 1]
    /\ UNCHANGED <<w, node, own, ord>>

Irq(c) == bg.irq > 0 /\ Nest(c, FALSE) /\ bg' = [bg EXCEPT !.irq = @ - 1]
Nmi(c) == bg.nmi > 0 /\ Nest(c, TRUE) /\ bg' = [bg EXCEPT !.nmi = @ - 1]

(* fast path; escaped acquire *)
Fast(k) ==
    /\ At(k, "fast") /\ UNCHANGED <<node, cp, bg, ord>>
    /\ IF cp[k[1]].tag = ESC
       THEN Go(k, IF NestTag(k) = ESC THEN "e1" ELSE "e0") /\ UNCHANGED <<w, own>>
       ELSE IF W(k) = Free
            THEN SetW(k, [Free EXCEPT !.b = cp[k[1]].tag]) /\ Enter(k) /\ Go(k, "cs")
            ELSE Go(k, "slow") /\ UNCHANGED <<w, own>>

\* a wait of this CPU has just ended: its own tag again, though the fast path says ESC
BaseTry(k) ==
    /\ At(k, "e0") /\ UNCHANGED <<node, cp, bg, ord>>
    /\ IF W(k) = Free THEN SetW(k, [Free EXCEPT !.b = NestTag(k)]) /\ Enter(k) /\ Go(k, "cs")
       ELSE Go(k, "slow") /\ UNCHANGED <<w, own>>

EscPush(k) ==
    /\ At(k, "e1") /\ cp' = [cp EXCEPT ![k[1]].esc = @ + 1]
    /\ Go(k, "e2") /\ UNCHANGED <<w, node, bg, own, ord>>

EscTry(k) ==
    /\ At(k, "e2") /\ UNCHANGED <<node, cp, bg, ord>>
    /\ IF W(k) = Free
       THEN SetW(k, [Free EXCEPT !.b = ESC]) /\ Enter(k) /\ Go(k, "e3")
       ELSE Go(k, "e5") /\ UNCHANGED <<w, own>>

EscNote(k) ==
    /\ At(k, "e3") /\ cp' = [cp EXCEPT ![k[1]].held = @ \cup {L(k)}]
    /\ Go(k, "e4") /\ UNCHANGED <<w, node, bg, own, ord>>

EscPop(k) ==
    /\ \/ At(k, "e4") /\ GoR(k, "cs", None)
       \/ At(k, "e5") /\ (IF cx[k].r = "try" THEN GoR(k, "ret", "nested") ELSE Go(k, "slow"))
    /\ cp' = [cp EXCEPT ![k[1]].esc = @ - 1]
    /\ UNCHANGED <<w, node, bg, own, ord>>

(* slow path *)
\* Control: as upstream, the nested rule comes after the pending bit, and leaves without queueing.
Late == Broken("nest-late") \/ Broken("nest-late-blind")

Slow(k) ==
    /\ At(k, "slow") /\ UNCHANGED <<w, node, cp, bg, own, ord>>
    /\ IF Mine(k[1], L(k)) THEN GoR(k, "ret", "aa")
       ELSE IF Nested(k) THEN (IF Late THEN GoR(k, "wb1", "late") ELSE GoR(k, "ntry", "try"))
       ELSE Go(k, "wb1")

NestedTry(k) ==
    /\ At(k, "ntry") /\ UNCHANGED <<node, cp, bg, ord>>
    /\ IF NestTag(k) = ESC THEN Go(k, "e1") /\ UNCHANGED <<w, own>>
       ELSE IF W(k) = Free
            THEN SetW(k, [Free EXCEPT !.b = NestTag(k)]) /\ Enter(k) /\ GoR(k, "cs", None)
            ELSE GoR(k, "ret", "nested") /\ UNCHANGED <<w, own>>

WaitBegin(k) ==
    LET c == k[1] IN
    /\ UNCHANGED <<w, node, bg, own, ord>>
    /\ \/ /\ At(k, "wb1")
          /\ cx' = [cx EXCEPT ![k].pc = "wb2", ![k].s = cp[c].n, ![k].tag = cp[c].tag]
          /\ cp' = IF Broken("count-first") THEN [cp EXCEPT ![c].n = @ + 1] ELSE [cp EXCEPT ![c].tag = ESC]
       \/ /\ At(k, "wb2") /\ Go(k, "wb3")
          /\ cp' = IF Broken("count-first") THEN [cp EXCEPT ![c].tag = ESC] ELSE [cp EXCEPT ![c].n = @ + 1]
       \/ At(k, "wb3") /\ cp' = [cp EXCEPT ![c].rec[cx[k].s] = L(k)] /\ Go(k, "pend")

\* The word that the fast path saw may be old: both ways in must be right.
Pend(k) ==
    /\ At(k, "pend") /\ UNCHANGED <<w, node, cp, bg, own, ord>>
    /\ IF cx[k].r = "late" THEN Go(k, "setp")
       ELSE GoR(k, "setp", None) \/ GoR(k, "qinit", None)

\* Two steps, as on x86: the bit, then the rest of the word, where a queue may have begun meanwhile.
SetPending(k) ==
    /\ At(k, "setp") /\ SetW(k, [W(k) EXCEPT !.p = 1])
    /\ IF cx[k].r = "late" THEN GoR(k, IF W(k).p = 1 THEN "we1" ELSE "undo", "nested")
       ELSE Go(k, IF W(k).p = 1 THEN "qinit" ELSE "setp2")
    /\ UNCHANGED <<node, cp, bg, own, ord>>

SeeRest(k) ==
    /\ At(k, "setp2") /\ UNCHANGED <<w, node, cp, bg, own, ord>>
    /\ Go(k, IF W(k).t = None THEN "pwait" ELSE IF Broken("no-undo") THEN "qinit" ELSE "undo")

Undo(k) ==
    /\ At(k, "undo") /\ SetW(k, [W(k) EXCEPT !.p = 0])
    /\ Go(k, IF cx[k].r = "nested" THEN "we1" ELSE "qinit")
    /\ UNCHANGED <<node, cp, bg, own, ord>>

PendWait(k) ==
    /\ At(k, "pwait") /\ W(k).b = None /\ Go(k, "pgrab")
    /\ UNCHANGED <<w, node, cp, bg, own, ord>>

PendGrab(k) ==
    /\ At(k, "pgrab") /\ SetW(k, [W(k) EXCEPT !.p = 0, !.b = SlowTag(k)]) /\ Enter(k)
    /\ Go(k, AfterGrab(k)) /\ UNCHANGED <<node, cp, bg, ord>>

Verdict(r) == IF r = "to" THEN LIMIT /\ UNCHANGED bg
              ELSE IF r = "dl" THEN bg.dl > 0 /\ bg' = [bg EXCEPT !.dl = @ - 1]
              ELSE bg.cut > 0 /\ bg' = [bg EXCEPT !.cut = @ - 1]

PendFail(k) ==
    /\ At(k, "pwait") /\ W(k).b # None
    /\ \E r \in {"to", "dl"} : Verdict(r) /\ GoR(k, IF Broken("keep-pending") THEN "we1" ELSE "pclr", r)
    /\ UNCHANGED <<w, node, cp, own, ord>>

PendClear(k) ==
    /\ At(k, "pclr") /\ SetW(k, [W(k) EXCEPT !.p = 0]) /\ Go(k, "we1")
    /\ UNCHANGED <<node, cp, bg, own, ord>>

(* queue *)
QInit(k) ==
    /\ At(k, "qinit")
    /\ node' = IF Broken("no-init") THEN node ELSE [node EXCEPT ![Me(k)] = Clean]
    /\ Go(k, "qtry") /\ UNCHANGED <<w, cp, bg, own, ord>>

QTry(k) ==
    /\ At(k, "qtry") /\ UNCHANGED <<node, cp, bg, ord>>
    /\ IF W(k) = Free
       THEN SetW(k, [Free EXCEPT !.b = SlowTag(k)]) /\ Enter(k) /\ Go(k, AfterGrab(k))
       ELSE Go(k, "xchg") /\ UNCHANGED <<w, own>>

Xchg(k) ==
    /\ At(k, "xchg") /\ SetW(k, [W(k) EXCEPT !.t = Me(k)])
    /\ ord' = [ord EXCEPT ![L(k)] = Append(@, k)]
    /\ (IF W(k).t = None THEN Go(k, "head") ELSE GoV(k, "link", W(k).t))
    /\ UNCHANGED <<node, cp, bg, own>>

Link(k) ==
    /\ At(k, "link") /\ node' = [node EXCEPT ![cx[k].v].nx = Me(k)]
    /\ GoV(k, "mwait", None) /\ UNCHANGED <<w, cp, bg, own, ord>>

Signal(k) == node[Me(k)].lk

MemberWait(k) ==
    /\ At(k, "mwait") /\ Signal(k) # 0
    /\ IF Signal(k) = 1 \/ Broken("any-signal") THEN Go(k, "head")
       ELSE GoR(k, "pass", IF Signal(k) = 2 THEN "to" ELSE "rq")
    /\ UNCHANGED <<w, node, cp, bg, own, ord>>

Blocked(k) == W(k).b # None \/ (W(k).p # 0 /\ ~Broken("head-no-pending"))

\* v: is the tail mine?
HeadWait(k) ==
    /\ At(k, "head") /\ ~Blocked(k)
    /\ GoV(k, "claim", IF W(k).t = Me(k) THEN "mine" ELSE None)
    /\ UNCHANGED <<w, node, cp, bg, own, ord>>

HeadFail(k) ==
    /\ At(k, "head") /\ Blocked(k)
    /\ \E r \in {"to", "dl", "rq"} :
           Verdict(r) /\ GoR(k, IF r = "dl" THEN "hoff" ELSE "cut", r)
    /\ UNCHANGED <<w, node, cp, own, ord>>

Claim(k) ==
    /\ At(k, "claim") /\ UNCHANGED <<node, cp, bg>>
    /\ IF cx[k].v # None /\ W(k) = [Free EXCEPT !.t = Me(k)]
       THEN /\ SetW(k, [Free EXCEPT !.b = SlowTag(k)])
            /\ Enter(k) /\ LeaveQ(k) /\ GoV(k, AfterGrab(k), None)
       ELSE GoV(k, "store", None) /\ UNCHANGED <<w, own, ord>>

ClaimStore(k) ==
    /\ At(k, "store") /\ SetW(k, [W(k) EXCEPT !.b = SlowTag(k)])
    /\ Enter(k) /\ LeaveQ(k) /\ GoV(k, AfterStore(k), "next") /\ UNCHANGED <<node, cp, bg>>

TailOff(k) ==
    /\ At(k, "toff") /\ UNCHANGED <<node, cp, bg, own, ord>>
    /\ IF W(k).t = Me(k) /\ ~Broken("nest-late-blind")
       THEN SetW(k, [W(k) EXCEPT !.t = None]) /\ Go(k, "we1")
       ELSE Go(k, IF Broken("no-grant") THEN "we1" ELSE "wnext") /\ UNCHANGED w

Next_(k) == node[Me(k)].nx

WaitNext(k) ==
    /\ At(k, "wnext") /\ Next_(k) # None /\ GoV(k, "grant", Next_(k))
    /\ UNCHANGED <<w, node, cp, bg, own, ord>>

Grant(k) ==
    /\ At(k, "grant") /\ node' = [node EXCEPT ![cx[k].v].lk = 1]
    /\ GoV(k, "we1", None)
    /\ UNCHANGED <<w, cp, bg, own, ord>>

\* head with -EDEADLK
HeadOff(k) ==
    /\ At(k, "hoff") /\ LeaveQ(k) /\ UNCHANGED <<node, cp, bg, own>>
    /\ IF W(k).t = Me(k)
       THEN SetW(k, [W(k) EXCEPT !.t = None]) /\ Go(k, "we1")
       ELSE Go(k, IF Broken("dl-no-grant") THEN "we1" ELSE "wnext") /\ UNCHANGED w

\* what follows when this member has nothing (more) to pass on
Finish(k) ==
    IF cx[k].r = "rq"
    THEN \/ GoV(k, "pend", None) /\ UNCHANGED bg
         \/ Verdict("dl") /\ GoR(k, "we1", "dl")
    ELSE Go(k, "we1") /\ UNCHANGED bg

Cut(k) ==
    /\ At(k, "cut") /\ UNCHANGED <<node, cp, own>>
    /\ IF Broken("cut-keeps-tail") THEN UNCHANGED w ELSE SetW(k, [W(k) EXCEPT !.t = None])
    /\ ord' = [ord EXCEPT ![L(k)] = <<>>]
    /\ IF W(k).t = Me(k) THEN Finish(k)
       ELSE GoV(k, "cnext", W(k).t) /\ UNCHANGED bg

Pass(k) ==
    /\ At(k, "pass") /\ UNCHANGED <<w, node, cp, own, ord>>
    /\ IF node[Me(k)].cut = Me(k) \/ Broken("no-pass") THEN Finish(k)
       ELSE GoV(k, "cnext", node[Me(k)].cut) /\ UNCHANGED bg

Code(r) == IF r = "to" THEN 2 ELSE 3

CutNext(k) ==
    /\ At(k, "cnext") /\ Next_(k) # None
    /\ node' = IF Broken("signal-first") THEN [node EXCEPT ![Next_(k)].lk = Code(cx[k].r)]
               ELSE [node EXCEPT ![Next_(k)].cut = cx[k].v]
    /\ Go(k, "csig") /\ UNCHANGED <<w, cp, bg, own, ord>>

CutSignal(k) ==
    /\ At(k, "csig")
    /\ node' = IF Broken("signal-first") THEN [node EXCEPT ![Next_(k)].cut = cx[k].v]
               ELSE [node EXCEPT ![Next_(k)].lk = Code(cx[k].r)]
    /\ Go(k, "csent") /\ UNCHANGED <<w, cp, bg, own, ord>>

CutDone(k) ==
    /\ At(k, "csent") /\ Finish(k) /\ UNCHANGED <<w, node, cp, own, ord>>

(* end of the wait *)
HeldAdd(k) ==
    /\ At(k, "hadd") /\ cp' = [cp EXCEPT ![k[1]].held = @ \cup {L(k)}]
    /\ Go(k, IF cx[k].v = "next" THEN "toff" ELSE "we1") /\ UNCHANGED <<w, node, bg, own, ord>>

Ended(k) == cx' = [cx EXCEPT ![k].pc = IF cx[k].r = None THEN "cs" ELSE "ret", ![k].v = None, ![k].s = 0, ![k].tag = None]

WaitEnd(k) ==
    LET c == k[1] IN
    /\ UNCHANGED <<w, node, bg, own, ord>>
    /\ \/ At(k, "we1") /\ cp' = [cp EXCEPT ![c].rec[cx[k].s] = None] /\ Go(k, "we2")
       \/ At(k, "we2") /\ cp' = [cp EXCEPT ![c].n = @ - 1] /\ Go(k, "we3")
       \/ /\ At(k, "we3") /\ Ended(k)
          /\ cp' = [cp EXCEPT ![c].tag = IF Broken("base-tag") /\ cx[k].s = 0 THEN Base(c) ELSE cx[k].tag]

(* owner *)
Stall(k) ==
    /\ At(k, "cs") /\ bg.stall > 0 /\ bg' = [bg EXCEPT !.stall = @ - 1]
    /\ Go(k, "stuck") /\ UNCHANGED <<w, node, cp, own, ord>>

\* The tag decides, then the byte.
Unlock(k) ==
    /\ At(k, "cs") /\ UNCHANGED <<node, bg, ord>>
    /\ IF cp[k[1]].tag = ESC /\ W(k).b = ESC
       THEN Go(k, "u2") /\ cp' = [cp EXCEPT ![k[1]].esc = @ + 1] /\ UNCHANGED <<w, own>>
       ELSE /\ SetW(k, [W(k) EXCEPT !.b = None]) /\ own' = [own EXCEPT ![L(k)] = @ \ {k}]
            /\ Go(k, "ret") /\ UNCHANGED cp

EscForget(k) ==
    /\ IF Broken("late-forget") THEN At(k, "u3b") ELSE At(k, "u2")
    /\ cp' = [cp EXCEPT ![k[1]].held = @ \ {L(k)}]
    /\ Go(k, IF Broken("late-forget") THEN "u4" ELSE "u3") /\ UNCHANGED <<w, node, bg, own, ord>>

EscFree(k) ==
    /\ IF Broken("late-forget") THEN At(k, "u2") ELSE At(k, "u3")
    /\ SetW(k, [W(k) EXCEPT !.b = None]) /\ own' = [own EXCEPT ![L(k)] = @ \ {k}]
    /\ Go(k, IF Broken("late-forget") THEN "u3b" ELSE "u4") /\ UNCHANGED <<node, cp, bg, ord>>

EscFreed(k) ==
    /\ At(k, "u4") /\ cp' = [cp EXCEPT ![k[1]].esc = @ - 1]
    /\ Go(k, "ret") /\ UNCHANGED <<w, node, bg, own, ord>>

Return(k) ==
    /\ At(k, "ret") /\ UNCHANGED <<w, node, bg, own, ord>>
    /\ IF k[2] = 0 THEN cx' = [cx EXCEPT ![k] = [Off EXCEPT !.pc = "idle"]] /\ UNCHANGED cp
       ELSE cx' = [cx EXCEPT ![k] = Off] /\ cp' = [cp EXCEPT ![k[1]].top = @ - 1]

-----------------------------------------------------------------------------
\* By program counter rather than as one long disjunction: TLC is three times as fast.
Act(k, pc) ==
    CASE pc = "fast" -> Fast(k)
      [] pc = "e0" -> BaseTry(k)
      [] pc = "e1" -> EscPush(k)
      [] pc = "e2" -> EscTry(k)
      [] pc = "e3" -> EscNote(k)
      [] pc \in {"e4", "e5"} -> EscPop(k)
      [] pc = "slow" -> Slow(k)
      [] pc = "ntry" -> NestedTry(k)
      [] pc \in {"wb1", "wb2", "wb3"} -> WaitBegin(k)
      [] pc = "pend" -> Pend(k)
      [] pc = "setp" -> SetPending(k)
      [] pc = "setp2" -> SeeRest(k)
      [] pc = "undo" -> Undo(k)
      [] pc = "pwait" -> PendWait(k) \/ PendFail(k)
      [] pc = "pgrab" -> PendGrab(k)
      [] pc = "pclr" -> PendClear(k)
      [] pc = "qinit" -> QInit(k)
      [] pc = "qtry" -> QTry(k)
      [] pc = "xchg" -> Xchg(k)
      [] pc = "link" -> Link(k)
      [] pc = "mwait" -> MemberWait(k)
      [] pc = "head" -> HeadWait(k) \/ HeadFail(k)
      [] pc = "claim" -> Claim(k)
      [] pc = "store" -> ClaimStore(k)
      [] pc = "toff" -> TailOff(k)
      [] pc = "wnext" -> WaitNext(k)
      [] pc = "grant" -> Grant(k)
      [] pc = "hoff" -> HeadOff(k)
      [] pc = "cut" -> Cut(k)
      [] pc = "pass" -> Pass(k)
      [] pc = "cnext" -> CutNext(k)
      [] pc = "csig" -> CutSignal(k)
      [] pc = "csent" -> CutDone(k)
      [] pc = "hadd" -> HeldAdd(k)
      [] pc \in {"we1", "we2", "we3"} -> WaitEnd(k)
      [] pc = "cs" -> Unlock(k)
      [] pc \in {"u2", "u3", "u3b"} -> EscForget(k) \/ EscFree(k)
      [] pc = "u4" -> EscFreed(k)
      [] pc = "ret" -> Return(k)
      [] OTHER -> FALSE

Step(k) == cp[k[1]].top = k[2] /\ Act(k, Pc(k))
Top(c) == <<c, cp[c].top>>

Arrive == \E c \in CPU : Start(<<c, 0>>) \/ Irq(c) \/ Nmi(c)
Stuck(c) == Pc(<<c, 0>>) = "stuck"
AtRest(c) == cp[c].top = 0 /\ (Pc(<<c, 0>>) = "idle" \/ Stuck(c))
Done == \A c \in CPU : AtRest(c) /\ (bg.round[c] = 0 \/ Stuck(c))
Finished == Done /\ UNCHANGED vars

Next == Arrive \/ Finished \/ (\E c \in CPU : Step(Top(c)) \/ Stall(Top(c)))
Spec == Init /\ [][Next]_vars /\ \A k \in CTX : WF_vars(Step(k)) /\ WF_vars(Start(k))
Sym == Permutations(CPU)
-----------------------------------------------------------------------------
(* what must hold *)
Mutex == \A l \in LOCK : Cardinality(own[l]) <= 1

\* Nobody in sight: the word is what the owners say, the CPU's tables are empty.
Restored ==
    (\A c \in CPU : AtRest(c)) =>
        /\ \A l \in LOCK : w[l] = IF own[l] = {} THEN Free
                                  ELSE [Free EXCEPT !.b = Base((CHOOSE k \in own[l] : TRUE)[1])]
        /\ \A c \in CPU : Stuck(c) \/ cp[c] = Idle(c)

\* "Is it mine?" is exact: never a false yes, and a no only where section 4 answers instead.
OfCpu(c, l) == \E k \in own[l] : k[1] = c
MineExact ==
    \A c \in CPU, l \in LOCK :
        /\ Mine(c, l) => OfCpu(c, l)
        /\ OfCpu(c, l) => Mine(c, l) \/ cp[c].esc > 0 \/ l \in Live(c)

Spins == {"pend", "pwait", "mwait", "head", "wnext", "cnext"}
\* No context waits behind what its own CPU has interrupted, an NMI never above any wait, nobody above the queue.
NeverBehindOwn ==
    \A k \in CTX : Pc(k) \in Spins => \A d \in 0..k[2]-1 :
        LET j == <<k[1], d>> IN
            /\ k \notin own[L(k)] => j \notin own[L(k)]
            /\ Pc(j) \in Spins => L(j) # L(k) /\ ~cx[k].nmi
            /\ Pc(j) \notin InQueue

\* The queue is served in order: whoever acts as head is the first that was not cut off.
Fifo == \A k \in CTX : Pc(k) \in {"head", "claim", "store", "hoff", "cut"} =>
            ord[L(k)] # <<>> /\ ord[L(k)][1] = k

\* A wait that nobody will end: TLC's deadlock check, the same as this on a graph without cycles.
Ends == <>Done
=============================================================================
