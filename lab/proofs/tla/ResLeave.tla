\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
------------------------------ MODULE ResLeave ------------------------------
(* The queue and its nodes (docs/lock.md, section 2): every waiter spins on   *)
(* the node of the one in front of it, leaves by itself from wherever it      *)
(* stands, and waits for nobody without a limit of its own.                   *)
(*                                                                            *)
(* A node is WAIT or LONE while its user waits (LONE: whoever stood behind    *)
(* has left), PASSED once headship went to the successor, LEFT when its user  *)
(* is gone, FREE when nobody can reach it any more.  Only its own CPU makes   *)
(* it WAIT from FREE.  PASSED and LEFT belong to the successor, which frees   *)
(* them; where there is none, one compare-and-exchange decides who does.  The *)
(* state counts its uses; who takes a node back counts as a new one, since    *)
(* the successor may have read `prev` of the use before.                      *)
(*                                                                            *)
(* One action per shared access.  Interrupts come between any two of them.    *)
(* Tasks leave within a budget, interrupts as they like: beyond that every    *)
(* wait must end by itself (TLC's deadlock check; the graph has no cycle).    *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    CPU, LOCK,
    NODES,      \* per CPU
    ROUNDS,     \* acquisitions per task
    IRQS,       \* interrupts that may come, all CPUs together
    LEAVES,     \* tasks that may give up, all together
    STALLS,     \* owners that may never release: the others may all leave then
    BITS,       \* the pending bit is set blindly, the rest of the word seen later (x86)
    SAME,       \* interrupts may want the lock that their task wants
    BREAK       \* a deliberate fault, "none" for the real thing

VARIABLES
    w,          \* lock -> byte, pending, tail
    nd,         \* node -> state, the one in front
    cx,         \* context -> program counter and locals
    top,        \* cpu -> 1 while an interrupt runs
    bg,         \* budgets
    own,        \* ghost: lock -> contexts inside
    ord         \* ghost: lock -> those that wait in the queue, in order of arrival

vars == <<w, nd, cx, top, bg, own, ord>>

DEPTH == IF IRQS > 0 THEN 1 ELSE 0
CTX == CPU \X (0..DEPTH)
NODE == CPU \X (1..NODES)
None == "none"
NoNode == <<"none", 0>>
Open == [b |-> None, p |-> 0, t |-> NoNode]
Fresh == [st |-> "free", pv |-> NoNode, g |-> 0]
\* q: the state of the node in front as it was read, and what was in front of that
NoSeen == [st |-> None, pv |-> NoNode, g |-> 0]
Off == [pc |-> "off", l |-> None, n |-> NoNode, p |-> NoNode, r |-> None, g |-> 0, q |-> NoSeen]
Broken(what) == BREAK = what

Init ==
    /\ w = [l \in LOCK |-> Open]
    /\ nd = [n \in NODE |-> Fresh]
    /\ cx = [k \in CTX |-> IF k[2] = 0 THEN [Off EXCEPT !.pc = "idle"] ELSE Off]
    /\ top = [c \in CPU |-> 0]
    /\ bg = [irq |-> IRQS, leave |-> LEAVES, stall |-> STALLS, round |-> [c \in CPU |-> ROUNDS]]
    /\ own = [l \in LOCK |-> {}]
    /\ ord = [l \in LOCK |-> <<>>]

\* Some CPU has every lock from the start, and never releases it.
HeldInit ==
    /\ nd = [n \in NODE |-> Fresh]
    /\ top = [c \in CPU |-> 0]
    /\ bg = [irq |-> IRQS, leave |-> LEAVES, stall |-> STALLS, round |-> [c \in CPU |-> ROUNDS]]
    /\ ord = [l \in LOCK |-> <<>>]
    /\ \E o \in CPU :
        /\ w = [l \in LOCK |-> [Open EXCEPT !.b = o]]
        /\ own = [l \in LOCK |-> {<<o, 0>>}]
        /\ cx = [k \in CTX |-> IF k[2] # 0 THEN Off
                              ELSE [Off EXCEPT !.pc = IF k[1] = o THEN "stuck" ELSE "idle"]]

-----------------------------------------------------------------------------
Pc(k) == cx[k].pc
L(k) == cx[k].l
W(k) == w[L(k)]
N(k) == cx[k].n
P(k) == cx[k].p
St(n) == nd[n].st

Go(k, pc) == cx' = [cx EXCEPT ![k].pc = pc]
GoR(k, pc, r) == cx' = [cx EXCEPT ![k].pc = pc, ![k].r = r]
GoP(k, pc, p) == cx' = [cx EXCEPT ![k].pc = pc, ![k].p = p]
GoN(k, pc, n, p) == cx' = [cx EXCEPT ![k].pc = pc, ![k].n = n, ![k].p = p]
SetW(k, x) == w' = [w EXCEPT ![L(k)] = x]
SetSt(n, s) == nd' = [nd EXCEPT ![n].st = s]
Reuse(n) == nd' = [nd EXCEPT ![n].st = "wait", ![n].g = @ + 1]
See(k, pc) == cx' = [cx EXCEPT ![k].pc = pc, ![k].q = nd[P(k)]]
Q(k) == cx[k].q
AsSeen(k) == St(P(k)) = Q(k).st /\ nd[P(k)].g = Q(k).g
Enter(k) == own' = [own EXCEPT ![L(k)] = @ \cup {k}]
Without(seq, k) == SelectSeq(seq, LAMBDA x : x # k)
OutOfOrd(k) == ord' = [ord EXCEPT ![L(k)] = Without(@, k)]

Start(k) ==
    /\ Pc(k) = "idle" /\ top[k[1]] = 0 /\ bg.round[k[1]] > 0
    /\ \E l \in LOCK : cx' = [cx EXCEPT ![k] = [Off EXCEPT !.pc = "fast", !.l = l]]
    /\ bg' = [bg EXCEPT !.round[k[1]] = @ - 1]
    /\ UNCHANGED <<w, nd, top, own, ord>>

\* An interrupt anywhere.
Irq(c) ==
    LET k == <<c, 0>> IN
    LET up == <<c, 1>> IN
    /\ bg.irq > 0 /\ top[c] = 0 /\ Pc(k) \notin {"idle", "stuck"} /\ (Pc(k) = "ret" => SAME)
    /\ \E l \in IF SAME THEN LOCK ELSE LOCK \ {L(k)} : cx' = [cx EXCEPT ![up] = [Off EXCEPT !.pc = "fast", !.l = l]]
    /\ top' = [top EXCEPT ![c] = 1]
    /\ bg' = [bg EXCEPT !.irq = @ - 1]
    /\ UNCHANGED <<w, nd, own, ord>>

\* What its own CPU holds or waits for is refused before the queue; the wait begins after "pend".
Refused(k) == LET below == <<k[1], 0>> IN k[2] = 1 /\ L(k) = L(below) /\ Pc(below) \notin {"fast", "pend", "take", "ret"}

Fast(k) ==
    /\ UNCHANGED <<nd, top, bg, ord>>
    /\ IF W(k) = Open
       THEN SetW(k, [Open EXCEPT !.b = k[1]]) /\ Enter(k) /\ Go(k, "cs")
       ELSE UNCHANGED <<w, own>> /\ (IF Refused(k) THEN Go(k, "ret") ELSE Go(k, "pend") \/ Go(k, "take"))

(* the pending bit: taken only where nobody else waits, so it never disturbs the queue *)
Pend(k) ==
    /\ UNCHANGED <<nd, top, bg, own, ord>>
    /\ IF BITS
       THEN SetW(k, [W(k) EXCEPT !.p = 1]) /\ Go(k, IF W(k).p = 1 THEN "take" ELSE "rest")
       ELSE IF W(k).p = 0 /\ W(k).t = NoNode /\ W(k).b # None
       THEN SetW(k, [W(k) EXCEPT !.p = 1]) /\ Go(k, "pwait")
       ELSE UNCHANGED w /\ Go(k, "take")

PendRest(k) ==
    /\ Go(k, IF W(k).t = NoNode THEN "pwait" ELSE "undo")
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>

PendUndo(k) ==
    /\ SetW(k, [W(k) EXCEPT !.p = 0]) /\ Go(k, "take")
    /\ UNCHANGED <<nd, top, bg, own, ord>>

PendWait(k) ==
    /\ W(k).b = None /\ SetW(k, [W(k) EXCEPT !.p = 0, !.b = k[1]]) /\ Enter(k) /\ Go(k, "cs")
    /\ UNCHANGED <<nd, top, bg, ord>>

\* May this context give up now?  Interrupts always, tasks within the budget or behind a stalled owner.
Stalled(l) == \E k \in own[l] : Pc(k) = "stuck"
Give(k) == IF k[2] = 1 \/ Stalled(L(k)) THEN UNCHANGED bg
           ELSE bg.leave > 0 /\ bg' = [bg EXCEPT !.leave = @ - 1]

PendLeave(k) ==
    /\ Give(k) /\ SetW(k, [W(k) EXCEPT !.p = 0]) /\ Go(k, "ret")
    /\ UNCHANGED <<nd, top, own, ord>>

(* a node: any free one of this CPU, by compare-and-exchange, since an interrupt may want one too *)
Mine(k) == {n \in NODE : n[1] = k[1] /\ St(n) = "free"}
Take(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ IF Mine(k) = {} THEN Go(k, "spin") /\ UNCHANGED nd
       ELSE LET n == CHOOSE n \in Mine(k) : \A o \in Mine(k) : n[2] <= o[2] IN
            /\ nd' = [nd EXCEPT ![n] = [st |-> "wait", pv |-> NoNode, g |-> @.g + 1]]
            /\ GoN(k, "swap", n, NoNode)

\* No node: spin beside the queue, until the lock or a node is free.
Spin(k) ==
    /\ UNCHANGED <<nd, top, bg, ord>>
    /\ \/ W(k) = Open /\ SetW(k, [Open EXCEPT !.b = k[1]]) /\ Enter(k) /\ Go(k, "cs")
       \/ Mine(k) # {} /\ Go(k, "take") /\ UNCHANGED <<w, own>>
SpinLeave(k) == Give(k) /\ Go(k, "ret") /\ UNCHANGED <<w, nd, top, own, ord>>

\* A last try, then the tail.
Swap(k) ==
    /\ UNCHANGED <<top, bg>>
    /\ \/ /\ SetW(k, [W(k) EXCEPT !.t = N(k)])
          /\ ord' = [ord EXCEPT ![L(k)] = Append(@, k)]
          /\ IF W(k).t = NoNode THEN Go(k, "head") ELSE GoP(k, "wait", W(k).t)
          /\ UNCHANGED <<nd, own>>
       \/ /\ W(k) = Open /\ SetW(k, [Open EXCEPT !.b = k[1]]) /\ Enter(k)
          /\ SetSt(N(k), "free") /\ GoN(k, "cs", NoNode, NoNode) /\ UNCHANGED ord

\* "left", "passed": the successor frees the node, and looks at the one in front of it.
Wait(k) ==
    /\ St(P(k)) \in {"passed", "left"} /\ See(k, "step")
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>

StepOver(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ IF AsSeen(k)
       THEN /\ SetSt(P(k), "free")
            /\ cx' = [cx EXCEPT ![k].pc = IF Q(k).st = "left" THEN "wait" ELSE "head",
                               ![k].p = IF Q(k).st = "left" THEN Q(k).pv ELSE NoNode,
                               ![k].q = NoSeen]
       ELSE UNCHANGED nd /\ cx' = [cx EXCEPT ![k].pc = "wait", ![k].q = NoSeen]

\* The head becomes the one with the pending bit; then it makes the next one head.
HeadPend(k) ==
    /\ W(k).p = 0 /\ SetW(k, [W(k) EXCEPT !.p = 1]) /\ OutOfOrd(k)
    /\ GoR(k, "toff", "pend") /\ UNCHANGED <<nd, top, bg, own>>

After(k) == CASE cx[k].r = "left" -> "ret"
              [] cx[k].r \in {"pend", "pend-again"} -> "pwait"
              [] OTHER -> "cs"

\* Exchange: its old value says whether the successor has left meanwhile.  Who passes headship for
\* another one, or for the second time, always looks; leave-look-once holds without that.
Pass(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ SetSt(N(k), IF Broken("early-free") THEN "free" ELSE "passed")
    /\ IF \/ St(N(k)) = "lone" /\ ~Broken("plain-pass")
          \/ cx[k].r \notin {"own", "pend"} /\ ~Broken("look-once")
       THEN cx' = [cx EXCEPT ![k].pc = "tidy", ![k].g = nd[N(k)].g]
       ELSE GoN(k, After(k), NoNode, NoNode)

\* Nobody behind, perhaps: take headship back, and the tail off.
Tidy(k) ==
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>
    /\ IF W(k).t = N(k) THEN Go(k, "back") ELSE GoN(k, After(k), NoNode, NoNode)

Twice(k) == CASE cx[k].r = "own" -> "again" [] cx[k].r = "pend" -> "pend-again" [] OTHER -> cx[k].r
Back(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ IF St(N(k)) = "passed" /\ nd[N(k)].g = cx[k].g
       THEN Reuse(N(k)) /\ GoR(k, "toff", Twice(k))
       ELSE UNCHANGED nd /\ GoN(k, After(k), NoNode, NoNode)

TailOff(k) ==
    /\ UNCHANGED <<top, bg, own, ord>>
    /\ IF W(k).t = N(k)
       THEN SetW(k, [W(k) EXCEPT !.t = NoNode]) /\ SetSt(N(k), "free") /\ GoN(k, After(k), NoNode, NoNode)
       ELSE UNCHANGED <<w, nd>> /\ Go(k, "pass")

(* leaving *)
WaitLeave(k) ==
    /\ Give(k) /\ OutOfOrd(k) /\ GoR(k, "publish", "left")
    /\ UNCHANGED <<w, nd, top, own>>

HeadLeave(k) ==
    /\ W(k).p = 1
    /\ Give(k) /\ OutOfOrd(k) /\ GoR(k, "toff", "left")
    /\ UNCHANGED <<w, nd, top, own>>

Publish(k) ==
    /\ nd' = [nd EXCEPT ![N(k)].pv = P(k)] /\ Go(k, "mark")
    /\ UNCHANGED <<w, top, bg, own, ord>>

Mark(k) ==
    /\ SetSt(N(k), "left")
    /\ cx' = [cx EXCEPT ![k].pc = "last", ![k].g = nd[N(k)].g]
    /\ UNCHANGED <<w, top, bg, own, ord>>

\* Nobody behind to free the node?
Last(k) ==
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>
    /\ IF W(k).t = N(k) /\ ~Broken("leave-tail") THEN Go(k, "adopt")
       ELSE GoN(k, "ret", NoNode, NoNode)

Adopt(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ IF (St(N(k)) = "left" /\ nd[N(k)].g = cx[k].g) \/ Broken("no-adopt")
       THEN Reuse(N(k)) /\ Go(k, "fold")
       ELSE UNCHANGED nd /\ GoN(k, "ret", NoNode, NoNode)

\* The nodes in front whose users have left go first; a head in front may have passed headship.
\* Which use is LONE is known from here on, before the tail names that node: whoever stands behind
\* it by then may have taken it for another use.
Alone(k) == cx' = [cx EXCEPT ![k].pc = "roll", ![k].q = NoSeen, ![k].g = nd[P(k)].g]
Fold(k) ==
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>
    /\ IF St(P(k)) = "lone" THEN Alone(k) ELSE See(k, "mend")

Mend(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ CASE ~AsSeen(k) -> UNCHANGED nd /\ cx' = [cx EXCEPT ![k].pc = "fold", ![k].q = NoSeen]
         [] AsSeen(k) /\ Q(k).st = "passed" ->
                /\ SetSt(P(k), "free")
                /\ cx' = [cx EXCEPT ![k].pc = "toff", ![k].p = NoNode, ![k].q = NoSeen]
         [] AsSeen(k) /\ Q(k).st = "left" ->
                /\ SetSt(P(k), "free")
                /\ cx' = [cx EXCEPT ![k].pc = "fold", ![k].p = Q(k).pv, ![k].q = NoSeen]
         [] OTHER ->
                /\ SetSt(P(k), IF Broken("no-lone") THEN St(P(k)) ELSE "lone")
                /\ Alone(k)

\* The one in front is the last again.
Roll(k) ==
    /\ UNCHANGED <<top, bg, own, ord>>
    /\ IF W(k).t = N(k)
       THEN /\ SetW(k, [W(k) EXCEPT !.t = P(k)]) /\ SetSt(N(k), "free")
            /\ cx' = [cx EXCEPT ![k].pc = "again", ![k].n = NoNode]
       ELSE UNCHANGED <<w, nd>> /\ Go(k, "publish")

\* It may have left or passed headship before it could see that: then its node is ours to remove.
\* Or it is in use for another lock by now; its generation shows that.
Still(k) == nd[P(k)].g = cx[k].g
Again(k) ==
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>
    /\ IF St(P(k)) \in {"passed", "left"} /\ Still(k) /\ ~Broken("no-again")
       THEN See(k, "still") ELSE GoN(k, "ret", NoNode, NoNode)

\* Who stands behind it by now removes it, and may know its use.
StillLast(k) ==
    /\ UNCHANGED <<w, nd, top, bg, own, ord>>
    /\ IF W(k).t = P(k) \/ Broken("no-tail-look") THEN Go(k, "retake")
       ELSE GoN(k, "ret", NoNode, NoNode)

Retake(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord>>
    /\ IF AsSeen(k)
       THEN /\ Reuse(P(k))
            /\ IF Q(k).st = "passed" THEN GoN(k, "toff", P(k), NoNode)
               ELSE GoN(k, "fold", P(k), Q(k).pv)
       ELSE UNCHANGED nd /\ GoN(k, "ret", NoNode, NoNode)

Unlock(k) ==
    /\ SetW(k, [W(k) EXCEPT !.b = None]) /\ own' = [own EXCEPT ![L(k)] = @ \ {k}]
    /\ Go(k, "ret") /\ UNCHANGED <<nd, top, bg, ord>>

Stall(k) ==
    /\ k[2] = 0 /\ Pc(k) = "cs" /\ bg.stall > 0 /\ top[k[1]] = 0
    /\ bg' = [bg EXCEPT !.stall = @ - 1] /\ Go(k, "stuck")
    /\ UNCHANGED <<w, nd, top, own, ord>>

Return(k) ==
    /\ cx' = [cx EXCEPT ![k] = IF k[2] = 0 THEN [Off EXCEPT !.pc = "idle"] ELSE Off]
    /\ top' = [top EXCEPT ![k[1]] = 0]
    /\ UNCHANGED <<w, nd, bg, own, ord>>

-----------------------------------------------------------------------------
Act(k, pc) ==
    CASE pc = "fast" -> Fast(k)
      [] pc = "pend" -> Pend(k)
      [] pc = "rest" -> PendRest(k)
      [] pc = "undo" -> PendUndo(k)
      [] pc = "pwait" -> PendWait(k) \/ PendLeave(k)
      [] pc = "take" -> Take(k)
      [] pc = "spin" -> Spin(k) \/ SpinLeave(k)
      [] pc = "swap" -> Swap(k)
      [] pc = "wait" -> Wait(k) \/ WaitLeave(k)
      [] pc = "step" -> StepOver(k)
      [] pc = "head" -> HeadPend(k) \/ HeadLeave(k)
      [] pc = "pass" -> Pass(k)
      [] pc = "tidy" -> Tidy(k)
      [] pc = "back" -> Back(k)
      [] pc = "toff" -> TailOff(k)
      [] pc = "publish" -> Publish(k)
      [] pc = "mark" -> Mark(k)
      [] pc = "last" -> Last(k)
      [] pc = "adopt" -> Adopt(k)
      [] pc = "fold" -> Fold(k)
      [] pc = "mend" -> Mend(k)
      [] pc = "roll" -> Roll(k)
      [] pc = "again" -> Again(k)
      [] pc = "still" -> StillLast(k)
      [] pc = "retake" -> Retake(k)
      [] pc = "cs" -> Unlock(k)
      [] pc = "ret" -> Return(k)
      [] OTHER -> FALSE

Top(c) == <<c, top[c]>>
Step(k) == top[k[1]] = k[2] /\ Act(k, Pc(k))
AtRest(c) == top[c] = 0 /\ Pc(<<c, 0>>) \in {"idle", "stuck"}
Done == \A c \in CPU : AtRest(c) /\ (bg.round[c] = 0 \/ Pc(<<c, 0>>) = "stuck")
Finished == Done /\ UNCHANGED vars

Next == Finished \/ (\E c \in CPU : Start(<<c, 0>>) \/ Irq(c) \/ Step(Top(c)) \/ Stall(Top(c)))
Spec == Init /\ [][Next]_vars
HeldSpec == HeldInit /\ [][Next]_vars
Sym == Permutations(CPU)
-----------------------------------------------------------------------------
(* what must hold *)
Mutex == \A l \in LOCK : Cardinality(own[l]) <= 1

\* Nobody in sight: no trace of a waiter in any word, and no node that is still in use.
Restored ==
    (\A c \in CPU : AtRest(c)) =>
        /\ \A l \in LOCK : w[l] = IF own[l] = {} THEN Open
                                  ELSE [Open EXCEPT !.b = (CHOOSE k \in own[l] : TRUE)[1]]
        /\ \A n \in NODE : St(n) = "free"

\* Whoever acts as head is the first of those that stay.
Fifo == \A k \in CTX : Pc(k) \in {"head", "store"} =>
            ord[L(k)] # <<>> /\ ord[L(k)][1] = k

\* A node in use has one user, and nobody takes it away.
Using == {"swap", "wait", "step", "head", "store", "pass", "toff", "publish", "fold",
          "mend", "roll"}
OneUser ==
    \A k \in CTX : Pc(k) \in Using =>
        /\ St(N(k)) \in {"wait", "lone", "asleep"}
        /\ \A j \in CTX \ {k} : Pc(j) \in Using => N(j) # N(k)

\* The node in front is in use, or waits to be freed, and by one context only.
Watching == {"wait", "step", "publish", "fold", "mend", "roll"}
InFront ==
    \A k \in CTX : Pc(k) \in Watching =>
        /\ St(P(k)) # "free"
        /\ \A j \in CTX \ {k} : Pc(j) \in Watching => P(j) # P(k)
=============================================================================
