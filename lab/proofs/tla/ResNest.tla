\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
------------------------------- MODULE ResNest ------------------------------
(* The word, the pending bit, owner tags, the escape table, wait records and  *)
(* nested contexts: docs/lock.md, sections 1, 2 and 4.  Waiters give up at    *)
(* any step, within a budget: the word must survive every one of them.        *)
(* ResDetect.tla asks when they are right to; ResLeave.tla has the nodes of   *)
(* the queue, which is a sequence here, left in one step.                     *)
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
    VERDICTS,   \* -EDEADLK verdicts
    BREAK       \* a deliberate fault, "none" for the real thing

VARIABLES
    w,          \* lock -> byte, pending, tail
    cx,         \* context -> program counter and locals
    cp,         \* cpu -> nwait, tag, wait records, escape table, escaping, level
    bg,         \* budgets
    own,        \* ghost: lock -> contexts inside
    ord         \* lock -> the queue, in order of arrival

vars == <<w, cx, cp, bg, own, ord>>

DEPTH == (IF IRQS > 0 THEN 1 ELSE 0) + (IF NMIS > 0 THEN 1 ELSE 0)
CTX == CPU \X (0..DEPTH)
None == "none"
ESC == "esc"
NoOne == <<None, 0>>
Free == [b |-> None, p |-> 0, t |-> NoOne]
Off == [pc |-> "off", l |-> None, s |-> 0, tag |-> None, r |-> None, nmi |-> FALSE]
Base(c) == IF c \in BIG THEN ESC ELSE c
Idle(c) == [n |-> 0, tag |-> Base(c), rec |-> [i \in 0..SLOTS-1 |-> None], held |-> {}, esc |-> 0,
            top |-> 0]
Budget == [irq |-> IRQS, nmi |-> NMIS, stall |-> STALLS, dl |-> VERDICTS,
           round |-> [c \in CPU |-> ROUNDS]]

Init ==
    /\ w = [l \in LOCK |-> Free]
    /\ cx = [k \in CTX |-> IF k[2] = 0 THEN [Off EXCEPT !.pc = "idle"] ELSE Off]
    /\ cp = [c \in CPU |-> Idle(c)]
    /\ bg = Budget
    /\ own = [l \in LOCK |-> {}]
    /\ ord = [l \in LOCK |-> <<>>]

-----------------------------------------------------------------------------
Pc(k) == cx[k].pc
L(k) == cx[k].l
W(k) == w[L(k)]
At(k, pc) == Pc(k) = pc /\ cp[k[1]].top = k[2]
Broken(what) == BREAK = what

Go(k, pc) == cx' = [cx EXCEPT ![k].pc = pc]
GoR(k, pc, r) == cx' = [cx EXCEPT ![k].pc = pc, ![k].r = r]
SetW(k, x) == w' = [w EXCEPT ![L(k)] = x]
Enter(k) == own' = [own EXCEPT ![L(k)] = @ \cup {k}]
Without(seq, k) == SelectSeq(seq, LAMBDA x : x # k)
LeaveQ(k) == ord' = [ord EXCEPT ![L(k)] = Without(@, k)]
LastOf(seq) == IF seq = <<>> THEN NoOne ELSE seq[Len(seq)]

\* what an acquisition of this context stores in the locked byte
NestTag(k) == IF cp[k[1]].n = 0 THEN Base(k[1]) ELSE ESC
SlowTag(k) == IF cx[k].s = 0 THEN Base(k[1]) ELSE ESC
AfterGrab(k) == IF SlowTag(k) = ESC THEN "hadd" ELSE "we1"

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
    /\ UNCHANGED <<w, cp, own, ord>>

\* after an atomic, before what shows its result
IrqsOff == {"setp2", "undo", "e2", "e3", "e4", "e5", "hadd", "u2", "u3", "u3b", "u4"}

Nest(c, nmi) ==
    LET k == <<c, cp[c].top>> IN
    LET up == <<c, cp[c].top + 1>> IN
    /\ k[2] < DEPTH /\ Pc(k) # "idle"
    /\ ~cx[k].nmi /\ (~nmi => k[2] = 0 /\ Pc(k) \notin IrqsOff)
    /\ \E l \in LOCK : cx' = [cx EXCEPT ![up] = [Off EXCEPT !.pc = "fast", !.l = l, !.nmi = nmi]]
    /\ cp' = [cp EXCEPT ![c].top = @ + 1]
    /\ UNCHANGED <<w, own, ord>>

Irq(c) == bg.irq > 0 /\ Nest(c, FALSE) /\ bg' = [bg EXCEPT !.irq = @ - 1]
Nmi(c) == bg.nmi > 0 /\ Nest(c, TRUE) /\ bg' = [bg EXCEPT !.nmi = @ - 1]

(* fast path; escaped acquire *)
Fast(k) ==
    /\ At(k, "fast") /\ UNCHANGED <<cp, bg, ord>>
    /\ IF cp[k[1]].tag = ESC
       THEN Go(k, IF NestTag(k) = ESC THEN "e1" ELSE "e0") /\ UNCHANGED <<w, own>>
       ELSE IF W(k) = Free
            THEN SetW(k, [Free EXCEPT !.b = cp[k[1]].tag]) /\ Enter(k) /\ Go(k, "cs")
            ELSE Go(k, "slow") /\ UNCHANGED <<w, own>>

\* a wait of this CPU has just ended: its own tag again, though the fast path says ESC
BaseTry(k) ==
    /\ At(k, "e0") /\ UNCHANGED <<cp, bg, ord>>
    /\ IF W(k) = Free THEN SetW(k, [Free EXCEPT !.b = NestTag(k)]) /\ Enter(k) /\ Go(k, "cs")
       ELSE Go(k, "slow") /\ UNCHANGED <<w, own>>

EscPush(k) ==
    /\ At(k, "e1") /\ cp' = [cp EXCEPT ![k[1]].esc = @ + 1]
    /\ Go(k, "e2") /\ UNCHANGED <<w, bg, own, ord>>

EscTry(k) ==
    /\ At(k, "e2") /\ UNCHANGED <<cp, bg, ord>>
    /\ IF W(k) = Free
       THEN SetW(k, [Free EXCEPT !.b = ESC]) /\ Enter(k) /\ Go(k, "e3")
       ELSE Go(k, "e5") /\ UNCHANGED <<w, own>>

EscNote(k) ==
    /\ At(k, "e3") /\ cp' = [cp EXCEPT ![k[1]].held = @ \cup {L(k)}]
    /\ Go(k, "e4") /\ UNCHANGED <<w, bg, own, ord>>

EscPop(k) ==
    /\ \/ At(k, "e4") /\ GoR(k, "cs", None)
       \/ At(k, "e5") /\ (IF cx[k].r = "try" THEN GoR(k, "ret", "nested") ELSE Go(k, "slow"))
    /\ cp' = [cp EXCEPT ![k[1]].esc = @ - 1]
    /\ UNCHANGED <<w, bg, own, ord>>

(* slow path *)
Slow(k) ==
    /\ At(k, "slow") /\ UNCHANGED <<w, cp, bg, own, ord>>
    /\ IF Mine(k[1], L(k)) THEN GoR(k, "ret", "aa")
       ELSE IF Nested(k) THEN GoR(k, "ntry", "try")
       ELSE Go(k, "wb1")

NestedTry(k) ==
    /\ At(k, "ntry") /\ UNCHANGED <<cp, bg, ord>>
    /\ IF NestTag(k) = ESC THEN Go(k, "e1") /\ UNCHANGED <<w, own>>
       ELSE IF W(k) = Free
            THEN SetW(k, [Free EXCEPT !.b = NestTag(k)]) /\ Enter(k) /\ GoR(k, "cs", None)
            ELSE GoR(k, "ret", "nested") /\ UNCHANGED <<w, own>>

WaitBegin(k) ==
    LET c == k[1] IN
    /\ UNCHANGED <<w, bg, own, ord>>
    /\ \/ /\ At(k, "wb1")
          /\ cx' = [cx EXCEPT ![k].pc = "wb2", ![k].s = cp[c].n, ![k].tag = cp[c].tag]
          /\ cp' = IF Broken("count-first") THEN [cp EXCEPT ![c].n = @ + 1] ELSE [cp EXCEPT ![c].tag = ESC]
       \/ /\ At(k, "wb2") /\ Go(k, "wb3")
          /\ cp' = IF Broken("count-first") THEN [cp EXCEPT ![c].tag = ESC] ELSE [cp EXCEPT ![c].n = @ + 1]
       \/ At(k, "wb3") /\ cp' = [cp EXCEPT ![c].rec[cx[k].s] = L(k)] /\ Go(k, "pend")

\* The word that the fast path saw may be old: both ways in must be right.
Pend(k) ==
    /\ At(k, "pend") /\ UNCHANGED <<w, cp, bg, own, ord>>
    /\ GoR(k, "setp", None) \/ GoR(k, "qtry", None)

\* Two steps, as on x86: the bit, then the rest of the word, where a queue may have begun meanwhile.
SetPending(k) ==
    /\ At(k, "setp") /\ SetW(k, [W(k) EXCEPT !.p = 1])
    /\ Go(k, IF W(k).p = 1 THEN "qtry" ELSE "setp2")
    /\ UNCHANGED <<cp, bg, own, ord>>

SeeRest(k) ==
    /\ At(k, "setp2") /\ UNCHANGED <<w, cp, bg, own, ord>>
    /\ Go(k, IF W(k).t = NoOne THEN "pwait" ELSE IF Broken("no-undo") THEN "qtry" ELSE "undo")

Undo(k) ==
    /\ At(k, "undo") /\ SetW(k, [W(k) EXCEPT !.p = 0])
    /\ Go(k, "qtry")
    /\ UNCHANGED <<cp, bg, own, ord>>

PendWait(k) ==
    /\ At(k, "pwait") /\ W(k).b = None /\ Go(k, "pgrab")
    /\ UNCHANGED <<w, cp, bg, own, ord>>

PendGrab(k) ==
    /\ At(k, "pgrab") /\ SetW(k, [W(k) EXCEPT !.p = 0, !.b = SlowTag(k)]) /\ Enter(k)
    /\ Go(k, AfterGrab(k)) /\ UNCHANGED <<cp, bg, ord>>

Verdict(r) == IF r = "to" THEN LIMIT /\ UNCHANGED bg
              ELSE bg.dl > 0 /\ bg' = [bg EXCEPT !.dl = @ - 1]

PendFail(k) ==
    /\ At(k, "pwait") /\ W(k).b # None
    /\ \E r \in {"to", "dl"} : Verdict(r) /\ GoR(k, IF Broken("keep-pending") THEN "we1" ELSE "pclr", r)
    /\ UNCHANGED <<w, cp, own, ord>>

PendClear(k) ==
    /\ At(k, "pclr") /\ SetW(k, [W(k) EXCEPT !.p = 0]) /\ Go(k, "we1")
    /\ UNCHANGED <<cp, bg, own, ord>>

(* queue *)
QTry(k) ==
    /\ At(k, "qtry") /\ UNCHANGED <<cp, bg, ord>>
    /\ IF W(k) = Free
       THEN SetW(k, [Free EXCEPT !.b = SlowTag(k)]) /\ Enter(k) /\ Go(k, AfterGrab(k))
       ELSE Go(k, "xchg") /\ UNCHANGED <<w, own>>

Xchg(k) ==
    /\ At(k, "xchg") /\ SetW(k, [W(k) EXCEPT !.t = k])
    /\ ord' = [ord EXCEPT ![L(k)] = Append(@, k)]
    /\ Go(k, "watch") /\ UNCHANGED <<cp, bg, own>>

\* Nobody in front any more.
Watch(k) ==
    /\ At(k, "watch") /\ (ord[L(k)][1] = k \/ Broken("no-order"))
    /\ Go(k, "head") /\ UNCHANGED <<w, cp, bg, own, ord>>

Blocked(k) == W(k).p # 0 /\ ~Broken("head-no-pending")

\* From wherever it stands; the last one names the one in front.
QueueFail(k) ==
    /\ At(k, "watch") \/ (At(k, "head") /\ Blocked(k))
    /\ \E r \in {"to", "dl"} : Verdict(r) /\ GoR(k, "qoff", r)
    /\ UNCHANGED <<w, cp, own, ord>>

QueueOff(k) ==
    /\ At(k, "qoff") /\ LeaveQ(k) /\ Go(k, "we1")
    /\ IF W(k).t = k /\ ~Broken("keep-tail")
       THEN SetW(k, [W(k) EXCEPT !.t = LastOf(Without(ord[L(k)], k))]) ELSE UNCHANGED w
    /\ UNCHANGED <<cp, bg, own>>

\* The head becomes the one with the pending bit; then it makes the next one head.
HeadPend(k) ==
    /\ At(k, "head") /\ ~Blocked(k) /\ SetW(k, [W(k) EXCEPT !.p = 1])
    /\ Go(k, "hoff") /\ UNCHANGED <<cp, bg, own, ord>>

HeadOff(k) ==
    /\ At(k, "hoff") /\ LeaveQ(k) /\ Go(k, "pwait")
    /\ IF W(k).t = k THEN SetW(k, [W(k) EXCEPT !.t = NoOne]) ELSE UNCHANGED w
    /\ UNCHANGED <<cp, bg, own>>

(* end of the wait *)
HeldAdd(k) ==
    /\ At(k, "hadd") /\ cp' = [cp EXCEPT ![k[1]].held = @ \cup {L(k)}]
    /\ Go(k, "we1") /\ UNCHANGED <<w, bg, own, ord>>

Ended(k) == cx' = [cx EXCEPT ![k].pc = IF cx[k].r = None THEN "cs" ELSE "ret", ![k].s = 0, ![k].tag = None]

WaitEnd(k) ==
    LET c == k[1] IN
    /\ UNCHANGED <<w, bg, own, ord>>
    /\ \/ At(k, "we1") /\ cp' = [cp EXCEPT ![c].rec[cx[k].s] = None] /\ Go(k, "we2")
       \/ At(k, "we2") /\ cp' = [cp EXCEPT ![c].n = @ - 1] /\ Go(k, "we3")
       \/ /\ At(k, "we3") /\ Ended(k)
          /\ cp' = [cp EXCEPT ![c].tag = IF Broken("base-tag") /\ cx[k].s = 0 THEN Base(c) ELSE cx[k].tag]

(* owner *)
Stall(k) ==
    /\ At(k, "cs") /\ bg.stall > 0 /\ bg' = [bg EXCEPT !.stall = @ - 1]
    /\ Go(k, "stuck") /\ UNCHANGED <<w, cp, own, ord>>

\* The tag decides, then the byte.
Unlock(k) ==
    /\ At(k, "cs") /\ UNCHANGED <<bg, ord>>
    /\ IF cp[k[1]].tag = ESC /\ W(k).b = ESC
       THEN Go(k, "u2") /\ cp' = [cp EXCEPT ![k[1]].esc = @ + 1] /\ UNCHANGED <<w, own>>
       ELSE /\ SetW(k, [W(k) EXCEPT !.b = None]) /\ own' = [own EXCEPT ![L(k)] = @ \ {k}]
            /\ Go(k, "ret") /\ UNCHANGED cp

EscForget(k) ==
    /\ IF Broken("late-forget") THEN At(k, "u3b") ELSE At(k, "u2")
    /\ cp' = [cp EXCEPT ![k[1]].held = @ \ {L(k)}]
    /\ Go(k, IF Broken("late-forget") THEN "u4" ELSE "u3") /\ UNCHANGED <<w, bg, own, ord>>

EscFree(k) ==
    /\ IF Broken("late-forget") THEN At(k, "u2") ELSE At(k, "u3")
    /\ SetW(k, [W(k) EXCEPT !.b = None]) /\ own' = [own EXCEPT ![L(k)] = @ \ {k}]
    /\ Go(k, IF Broken("late-forget") THEN "u3b" ELSE "u4") /\ UNCHANGED <<cp, bg, ord>>

EscFreed(k) ==
    /\ At(k, "u4") /\ cp' = [cp EXCEPT ![k[1]].esc = @ - 1]
    /\ Go(k, "ret") /\ UNCHANGED <<w, bg, own, ord>>

Return(k) ==
    /\ At(k, "ret") /\ UNCHANGED <<w, bg, own, ord>>
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
      [] pc = "qtry" -> QTry(k)
      [] pc = "xchg" -> Xchg(k)
      [] pc = "watch" -> Watch(k) \/ QueueFail(k)
      [] pc = "head" -> HeadPend(k) \/ QueueFail(k)
      [] pc = "hoff" -> HeadOff(k)
      [] pc = "qoff" -> QueueOff(k)
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

Spins == {"pend", "pwait", "watch", "head"}
\* No context waits behind what its own CPU has interrupted, an NMI never above any wait.
NeverBehindOwn ==
    \A k \in CTX : Pc(k) \in Spins => \A d \in 0..k[2]-1 :
        LET j == <<k[1], d>> IN
            /\ k \notin own[L(k)] => j \notin own[L(k)]
            /\ Pc(j) \in Spins => L(j) # L(k) /\ ~cx[k].nmi

\* The queue is served in order: whoever acts as head is the first of those that stay.
Fifo == \A k \in CTX : Pc(k) \in {"head", "hoff"} =>
            ord[L(k)] # <<>> /\ ord[L(k)][1] = k

\* The tail names somebody in the queue, the last unless that one is about to go.
TailKnown == \A l \in LOCK : w[l].t # NoOne => \E i \in 1..Len(ord[l]) : ord[l][i] = w[l].t

\* A wait that nobody will end: TLC's deadlock check, the same as this on a graph without cycles.
Ends == <>Done
=============================================================================
