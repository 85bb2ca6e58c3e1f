\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
----------------------------- MODULE ResHybrid -----------------------------
(* The queue for virtual machines (docs/lock.md, section 2): the queue of      *)
(* ResLeave, past which newcomers may take the lock while its door, the        *)
(* pending bit, is open, and whose waiters halt behind somebody.               *)
(*                                                                            *)
(* A halt ends by a kick only, not by a tick: a kick that is lost is a         *)
(* deadlock.  A waiter may give up while it halts, which is what a tick is     *)
(* good for; tasks do that within their budget.                                *)
EXTENDS ResLeave

CONSTANT DOORS      \* how often heads may open a door that they have closed

VARIABLES
    hl,         \* node -> its user halts, or is about to
    bh,         \* node -> who asked to be kicked when its state changes
    wk,         \* context -> the node whose sleeper it still has to kick, and the sleeper
    dr          \* openings left

hvars == <<hl, bh, wk, dr>>
NoWake == [n |-> NoNode, to |-> NoNode]

HInit ==
    /\ Init
    /\ hl = [n \in NODE |-> FALSE]
    /\ bh = [n \in NODE |-> NoNode]
    /\ wk = [k \in CTX |-> NoWake]
    /\ dr = DOORS

IsFree(k) == W(k).b = None
Take1(k) == SetW(k, [W(k) EXCEPT !.b = k[1]]) /\ Enter(k)

HFast(k) ==
    /\ UNCHANGED <<nd, top, bg, ord, hvars>>
    /\ IF W(k) = Open THEN Take1(k) /\ Go(k, "cs")
       ELSE UNCHANGED <<w, own>> /\ Go(k, IF Refused(k) THEN "ret" ELSE "steal")

\* Past the queue, while the door is open; for some time, then into the queue.
Steal(k) ==
    /\ UNCHANGED <<nd, top, bg, ord, hvars>>
    /\ \/ IsFree(k) /\ (W(k).p = 0 \/ Broken("steal-closed")) /\ Take1(k) /\ Go(k, "cs")
       \/ UNCHANGED <<w, own>> /\ Go(k, "take")

\* Interrupts may always leave in ResLeave; here they do not, so that a kick they lose shows.
MayGo(k) == k[2] = 0 /\ Give(k)
StealLeave(k) == MayGo(k) /\ Go(k, "ret") /\ UNCHANGED <<w, nd, top, own, ord, hvars>>

HSpin(k) ==
    /\ UNCHANGED <<nd, top, bg, ord, hvars>>
    /\ \/ IsFree(k) /\ W(k).p = 0 /\ Take1(k) /\ Go(k, "cs")
       \/ Mine(k) # {} /\ Go(k, "take") /\ UNCHANGED <<w, own>>

(* halting behind somebody; a softirq may do that on top of a task that halts *)
Doze(k) ==
    /\ St(P(k)) \in {"wait", "asleep"}
    /\ See(k, IF Broken("late-halted") THEN "d2" ELSE "d1")
    /\ UNCHANGED <<w, nd, top, bg, own, ord, hvars>>

SetHalted(k, pc) ==
    /\ hl' = [hl EXCEPT ![N(k)] = TRUE] /\ Go(k, pc)
    /\ UNCHANGED <<w, nd, top, bg, own, ord, bh, wk, dr>>

SetBehind(k, pc) ==
    /\ bh' = [bh EXCEPT ![P(k)] = N(k)] /\ Go(k, pc)
    /\ UNCHANGED <<w, nd, top, bg, own, ord, hl, wk, dr>>

\* What comes after the mark, in the order of the C or in a wrong one.
Marked == IF Broken("late-behind") THEN "d2" ELSE IF Broken("late-halted") THEN "d1" ELSE "halt"

MarkAsleep(k) ==
    /\ UNCHANGED <<w, top, bg, own, ord, hvars>>
    /\ IF AsSeen(k) THEN SetSt(P(k), "asleep") /\ Go(k, Marked)
       ELSE UNCHANGED nd /\ Go(k, "up")

Halt(k) ==
    /\ ~hl[N(k)] /\ Go(k, "up")
    /\ UNCHANGED <<w, nd, top, bg, own, ord, hvars>>

Up(k) ==
    /\ hl' = [hl EXCEPT ![N(k)] = FALSE]
    /\ cx' = [cx EXCEPT ![k].pc = "wait", ![k].q = NoSeen]
    /\ UNCHANGED <<w, nd, top, bg, own, ord, bh, wk, dr>>

HaltLeave(k) ==
    /\ MayGo(k) /\ OutOfOrd(k) /\ hl' = [hl EXCEPT ![N(k)] = FALSE]
    /\ cx' = [cx EXCEPT ![k].pc = "publish", ![k].r = "left", ![k].q = NoSeen]
    /\ UNCHANGED <<w, nd, top, own, bh, wk, dr>>

(* the head and its door *)
Close(k) ==
    /\ cx[k].r # "closed" /\ SetW(k, [W(k) EXCEPT !.p = 1]) /\ GoR(k, "head", "closed")
    /\ UNCHANGED <<nd, top, bg, own, ord, hvars>>

OpenDoor(k) ==
    /\ cx[k].r = "closed" /\ ~IsFree(k) /\ dr > 0 /\ dr' = dr - 1
    /\ SetW(k, [W(k) EXCEPT !.p = 0]) /\ GoR(k, "head", None)
    /\ UNCHANGED <<nd, top, bg, own, ord, hl, bh, wk>>

HHead(k) ==
    /\ cx[k].r = "closed" /\ IsFree(k) /\ Go(k, "store")
    /\ UNCHANGED <<w, nd, top, bg, own, ord, hvars>>

\* The decision, the door, the tail.
HHeadLeave(k) ==
    /\ ~IsFree(k) /\ MayGo(k) /\ OutOfOrd(k)
    /\ SetW(k, [W(k) EXCEPT !.p = IF Broken("leave-closed") THEN @ ELSE 0])
    /\ GoR(k, "toff", "left") /\ UNCHANGED <<nd, top, own, hvars>>

\* One store for both bytes.
HStore(k) ==
    /\ SetW(k, [W(k) EXCEPT !.b = k[1], !.p = 0]) /\ Enter(k) /\ OutOfOrd(k)
    /\ GoR(k, "toff", "own") /\ UNCHANGED <<nd, top, bg, hvars>>

(* An exchange of a node's state, then the kick, with interrupts off in between. *)
MustWake(k, kicks) ==
    /\ wk' = IF kicks /\ St(N(k)) = "asleep" THEN [wk EXCEPT ![k].n = N(k)] ELSE wk
    /\ UNCHANGED <<hl, bh, dr>>
HPass(k) == Pass(k) /\ MustWake(k, TRUE)
HMark(k) == Mark(k) /\ MustWake(k, ~Broken("left-no-kick"))

Wake(k) ==
    /\ UNCHANGED <<vars, bh, dr>>
    /\ IF wk[k].to = NoNode
       THEN /\ wk' = IF bh[wk[k].n] = NoNode THEN [wk EXCEPT ![k] = NoWake]
                     ELSE [wk EXCEPT ![k].to = bh[wk[k].n]]
            /\ UNCHANGED hl
       ELSE hl' = [hl EXCEPT ![wk[k].to] = FALSE] /\ wk' = [wk EXCEPT ![k] = NoWake]

-----------------------------------------------------------------------------
HOwn(k, pc) ==
    CASE pc = "fast" -> HFast(k)
      [] pc = "steal" -> Steal(k) \/ StealLeave(k)
      [] pc = "spin" -> HSpin(k) \/ StealLeave(k)
      [] pc = "wait" -> ((Wait(k) \/ (k[2] = 0 /\ WaitLeave(k))) /\ UNCHANGED hvars) \/ Doze(k)
      [] pc = "d1" -> SetHalted(k, IF Broken("late-halted") THEN "halt"
                                   ELSE IF Broken("late-behind") THEN "d3" ELSE "d2")
      [] pc = "d2" -> SetBehind(k, IF Broken("late-behind") THEN "halt" ELSE "d3")
      [] pc = "d3" -> MarkAsleep(k)
      [] pc = "halt" -> Halt(k) \/ HaltLeave(k)
      [] pc = "up" -> Up(k)
      [] pc = "head" -> Close(k) \/ OpenDoor(k) \/ HHead(k) \/ HHeadLeave(k)
      [] pc = "store" -> HStore(k)
      [] pc = "pass" -> HPass(k)
      [] pc = "mark" -> HMark(k)
      [] OTHER -> Act(k, pc) /\ UNCHANGED hvars

HStep(k) == top[k[1]] = k[2] /\ IF wk[k] # NoWake THEN Wake(k) ELSE HOwn(k, Pc(k))
HIrq(c) == wk[<<c, 0>>] = NoWake /\ Irq(c) /\ UNCHANGED hvars

HNext ==
    \/ Done /\ UNCHANGED <<vars, hvars>>
    \/ \E c \in CPU :
        \/ /\ Start(<<c, 0>>) \/ Stall(Top(c))
           /\ wk[Top(c)] = NoWake /\ UNCHANGED hvars
        \/ HIrq(c) \/ HStep(Top(c))
HSpec == HInit /\ [][HNext]_<<vars, hvars>>

-----------------------------------------------------------------------------
\* Nobody in sight: nobody halts, and the door is open (Restored has the word).
Awake == (\A c \in CPU : AtRest(c)) => \A n \in NODE : ~hl[n]

Dozing == {"d1", "d2", "d3", "halt", "up"}
HOneUser ==
    LET using == Using \cup Dozing IN
    \A k \in CTX : Pc(k) \in using =>
        /\ St(N(k)) \in {"wait", "lone", "asleep"}
        /\ \A j \in CTX \ {k} : Pc(j) \in using => N(j) # N(k)
HWatching == Watching \cup Dozing
HInFront ==
    \A k \in CTX : Pc(k) \in HWatching =>
        /\ St(P(k)) # "free"
        /\ \A j \in CTX \ {k} : Pc(j) \in HWatching => P(j) # P(k)

\* While the door is closed nobody but the head that closed it takes a free lock.
Door == \A k \in CTX : Pc(k) = "store" => IsFree(k) /\ W(k).p = 1
=============================================================================
