\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
----------------------------- MODULE ResDetect ------------------------------
(* The deadlock check: wait records, the walk in single reads, confirmation   *)
(* in three passes, claims, interrupts that take locks on top of a waiter,    *)
(* wherever it stands.  docs/lock.md, section 3.  There are no time limits    *)
(* here: what the check misses hangs.                                         *)
(*                                                                            *)
(* The lock is an owner tag, a PENDING waiter and a queue, changed in one     *)
(* step each, and so is the answer to "is this suspended waiter the head?":   *)
(* ResLeave.tla shows that the nodes behave so.                               *)
(* A task runs rounds; a round acquires its locks in order, then releases     *)
(* them; after an error it releases what it has.                              *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    CPU, LOCK,  \* CPU is a set of numbers
    SLOTS,
    Tasks,      \* cpu -> rounds, each a sequence of locks
    Irq,        \* cpu -> the locks that its interrupt acquires; <<>>: none comes
    BIG,        \* CPUs whose tag is always ESC
    Held,       \* cpu -> how many locks of its first round it owns at the start
    READS,      \* the walk takes a step per read, else it is one step
    BREAK

VARIABLES
    lk,         \* lock -> byte, PENDING waiter, queue; ghost: owner
    cp,         \* cpu -> nwait, wait records, escape table, level
    cx,         \* context -> program counter and locals
    irq,        \* cpu -> interrupts to come
    victims     \* ghost: how many acquisitions failed as members of a cycle

vars == <<lk, cp, cx, irq, victims>>

DEPTH == IF \E c \in CPU : Irq[c] # <<>> THEN 1 ELSE 0
CTX == CPU \X (0..DEPTH)
None == "none"
ESC == 255
HOPS == 2 * Cardinality(CPU)
Broken(what) == BREAK = what

Base(c) == IF c \in BIG THEN ESC ELSE c
NoHop == [c |-> 0, s |-> 0, q |-> 0, l |-> None]
Off == [pc |-> "off", round |-> 1, at |-> 1, l |-> None, s |-> 0, has |-> <<>>, r |-> None,
        ch |-> <<>>, i |-> 0, h |-> NoHop, vd |-> None, cl |-> <<>>, pb |-> FALSE,
        real |-> FALSE]
NoRec == [q |-> 0, l |-> None, st |-> None, cl |-> <<>>]

Owned(c) == SubSeq(Tasks[c][1], 1, Held[c])
HolderOf(l) == LET all == {c \in CPU : \E i \in 1..Held[c] : Tasks[c][1][i] = l} IN
    IF all = {} THEN 0 ELSE CHOOSE c \in all : TRUE
AtStart(c) ==
    IF Held[c] = 0 THEN [Off EXCEPT !.pc = "idle"]
    ELSE IF Held[c] = Len(Tasks[c][1]) THEN [Off EXCEPT !.pc = "rel", !.has = Owned(c), !.at = Held[c]]
    ELSE [Off EXCEPT !.pc = "fast", !.has = Owned(c), !.at = Held[c] + 1, !.l = Tasks[c][1][Held[c] + 1]]

Init ==
    /\ lk = [l \in LOCK |-> LET c == HolderOf(l) IN
              [b |-> IF c = 0 THEN 0 ELSE Base(c), o |-> IF c = 0 THEN <<>> ELSE <<c, 0>>, p |-> <<>>, q |-> <<>>]]
    /\ cp = [c \in CPU |-> [n |-> 0, rec |-> [i \in 0..SLOTS-1 |-> NoRec], held |-> {}, top |-> 0]]
    /\ cx = [k \in CTX |-> IF k[2] = 0 THEN AtStart(k[1]) ELSE Off]
    /\ irq = [c \in CPU |-> IF Irq[c] = <<>> THEN 0 ELSE 1]
    /\ victims = 0

-----------------------------------------------------------------------------
Pc(k) == cx[k].pc
L(k) == cx[k].l
Go(k, pc) == cx' = [cx EXCEPT ![k].pc = pc]
Become(k, rec) == cx' = [cx EXCEPT ![k] = rec]
Rec(k) == cp[k[1]].rec[cx[k].s]
Stage(k) == Rec(k).st
Odd(n) == n % 2 = 1
Live(c, s) == Odd(cp[c].rec[s].q)
EntryOf(c, l) == {e \in cp[c].held : e[1] = l}
Mine(c, l) == lk[l].b = c \/ (lk[l].b = ESC /\ EntryOf(c, l) # {})
Free(l) == lk[l].b = 0 /\ lk[l].p = <<>> /\ lk[l].q = <<>>
Script(k) == IF k[2] = 0 THEN Tasks[k[1]] ELSE <<Irq[k[1]]>>
Locks(k) == Script(k)[cx[k].round]

\* locals of a walk that is over
Calm(x) == [x EXCEPT !.ch = <<>>, !.i = 0, !.h = NoHop, !.vd = None, !.cl = <<>>, !.pb = FALSE, !.real = FALSE]

-----------------------------------------------------------------------------
(* The program around the lock *)
Idle(k) ==
    /\ cx[k].round <= Len(Script(k))
    /\ Become(k, [cx[k] EXCEPT !.pc = "fast", !.l = Locks(k)[cx[k].at], !.r = None])
    /\ UNCHANGED <<lk, cp, irq, victims>>

HalfFree(c, l) == lk[l].b = ESC /\ lk[l].o = <<c, 0>> /\ EntryOf(c, l) = {}

Interrupt(c) ==
    LET k == <<c, 0>> IN
    /\ irq[c] > 0 /\ cp[c].top = 0 /\ Pc(k) # "idle"
    /\ Pc(k) # "note" \* interrupts are off in an escaped acquisition or release
    /\ ~(Pc(k) = "rel" /\ cx[k].has # <<>> /\ HalfFree(c, cx[k].has[Len(cx[k].has)]))
    /\ irq' = [irq EXCEPT ![c] = @ - 1]
    /\ cp' = [cp EXCEPT ![c].top = 1]
    /\ cx' = [cx EXCEPT ![<<c, 1>>] = [Off EXCEPT !.pc = "fast", !.l = Irq[c][1]]]
    /\ UNCHANGED <<lk, victims>>

\* a lock was acquired
Got(k, x) ==
    LET has == Append(x.has, L(k)) IN
    IF Len(has) = Len(Locks(k)) THEN [x EXCEPT !.pc = "rel", !.has = has, !.l = None]
    ELSE [x EXCEPT !.pc = "fast", !.has = has, !.at = @ + 1, !.l = Locks(k)[x.at + 1]]

Release(k) ==
    LET x == cx[k] IN
    IF x.has = <<>>
    THEN /\ UNCHANGED <<lk, irq, victims>>
         /\ IF k[2] = 0
            THEN Become(k, [Off EXCEPT !.pc = "idle", !.round = x.round + 1]) /\ UNCHANGED cp
            ELSE Become(k, Off) /\ cp' = [cp EXCEPT ![k[1]].top = 0]
    ELSE LET l == x.has[Len(x.has)] IN
         IF lk[l].b = ESC /\ EntryOf(k[1], l) # {}
         THEN cp' = [cp EXCEPT ![k[1]].held = @ \ EntryOf(k[1], l)] /\ UNCHANGED <<lk, cx, irq, victims>>
         ELSE /\ lk' = [lk EXCEPT ![l].b = 0, ![l].o = <<>>]
              /\ Become(k, [x EXCEPT !.has = SubSeq(@, 1, Len(@) - 1)])
              /\ UNCHANGED <<cp, irq, victims>>

-----------------------------------------------------------------------------
(* Acquire *)
Depth(k) == cp[k[1]].n
Tag(k, depth) == IF depth = 0 \/ Broken("no-depth") THEN Base(k[1]) ELSE ESC
Take(k, tag) == lk' = [lk EXCEPT ![L(k)].b = tag, ![L(k)].o = k,
                       ![L(k)].p = IF @ = k THEN <<>> ELSE @,
                       ![L(k)].q = SelectSeq(@, LAMBDA x : x # k)]

Fast(k) ==
    /\ UNCHANGED <<irq, victims>>
    /\ IF Free(L(k))
       THEN /\ Take(k, Tag(k, Depth(k))) /\ UNCHANGED cp
            /\ IF Tag(k, Depth(k)) = ESC THEN Go(k, "note") ELSE Become(k, Got(k, cx[k]))
       ELSE Go(k, "enter") /\ UNCHANGED <<lk, cp>>

\* the escape table's entry, before anything else can happen in this context
Note(k) ==
    LET d == IF cx[k].r = "wait" THEN cx[k].s ELSE Depth(k) IN
    /\ cp' = [cp EXCEPT ![k[1]].held = @ \cup {<<L(k), IF Broken("no-depth-entry") THEN 0 ELSE d>>}]
    /\ (IF cx[k].r = "wait" THEN Go(k, "we1") ELSE Become(k, Got(k, cx[k])))
    /\ UNCHANGED <<lk, irq, victims>>

Nested(k) == Depth(k) >= SLOTS \/ \E s \in 0..Depth(k)-1 : cp[k[1]].rec[s].l = L(k)

Enter(k) ==
    /\ UNCHANGED <<lk, cp, irq, victims>>
    /\ IF Mine(k[1], L(k)) \/ Nested(k) THEN Become(k, [cx[k] EXCEPT !.pc = "rel", !.l = None, !.r = "own"])
       ELSE Go(k, "wb1")

SetRec(k, rec) == cp' = [cp EXCEPT ![k[1]].rec[cx[k].s] = rec]

WaitBegin(k) ==
    LET c == k[1] IN
    /\ UNCHANGED <<lk, irq, victims>>
    /\ \/ /\ Pc(k) = "wb1"
          /\ cp' = [cp EXCEPT ![c].n = @ + 1]
          /\ Become(k, [cx[k] EXCEPT !.pc = "wb2", !.s = Depth(k), !.r = "wait"])
       \/ /\ Pc(k) = "wb2" /\ SetRec(k, [Rec(k) EXCEPT !.l = L(k), !.st = "spin", !.cl = <<>>])
          /\ Go(k, "wb3")
       \/ Pc(k) = "wb3" /\ SetRec(k, [Rec(k) EXCEPT !.q = @ + 1]) /\ Go(k, "join")

Walk(x) == [Calm(x) EXCEPT !.pc = "word"]

\* PENDING where that can be had, or the queue: both happen with an old view of the word.

Join(k) ==
    LET l == lk[L(k)] IN
    LET x == [Calm(cx[k]) EXCEPT !.pc = "wait"] IN
    /\ UNCHANGED <<irq, victims>>
    /\ \/ /\ l.p = <<>> /\ l.q = <<>>
          /\ lk' = [lk EXCEPT ![L(k)].p = k]
          /\ SetRec(k, [Rec(k) EXCEPT !.st = "pending"])
          /\ Become(k, x)
       \/ /\ ~Free(L(k))
          /\ lk' = [lk EXCEPT ![L(k)].q = Append(@, k)]
          /\ SetRec(k, [Rec(k) EXCEPT !.st = IF l.q = <<>> THEN "head" ELSE "queued"])
          /\ Become(k, x)

Mayhave(k) ==
    LET l == lk[L(k)] IN
    l.b = 0 /\ l.p = k

\* The head becomes the one with the pending bit. Whoever cannot go on looks for a cycle, from
\* wherever it stands.
Wait(k) ==
    LET q == lk[L(k)].q IN
    /\ UNCHANGED <<irq, victims>>
    /\ IF Stage(k) = "queued" /\ q # <<>> /\ q[1] = k
       THEN SetRec(k, [Rec(k) EXCEPT !.st = "head"]) /\ UNCHANGED <<lk, cx>>
       ELSE IF Stage(k) = "head" /\ lk[L(k)].p = <<>>
       THEN /\ lk' = [lk EXCEPT ![L(k)].p = k, ![L(k)].q = Tail(@)]
            /\ SetRec(k, [Rec(k) EXCEPT !.st = "pending"]) /\ UNCHANGED cx
       ELSE IF Mayhave(k)
       THEN LET tag == Tag(k, cx[k].s) IN
            Take(k, tag) /\ Go(k, IF tag = ESC THEN "note" ELSE "we1") /\ UNCHANGED cp
       ELSE /\ Stage(k) # "pending" => ~Broken("only-pending-looks")
            /\ Become(k, Walk(cx[k])) /\ UNCHANGED <<lk, cp>>

\* the end of the wait: seq even, then the slot is free
WaitEnd(k) ==
    LET c == k[1] IN
    /\ UNCHANGED <<lk, irq, victims>>
    /\ \/ /\ Pc(k) = "we1" /\ SetRec(k, [NoRec EXCEPT !.q = Rec(k).q + 1])
          /\ Go(k, "we2")
       \/ /\ Pc(k) = "we2"
          /\ cp' = [cp EXCEPT ![c].n = @ - 1]
          /\ LET x == [Calm(cx[k]) EXCEPT !.s = 0] IN
             Become(k, IF x.r = "wait" THEN [Got(k, x) EXCEPT !.r = None] ELSE [x EXCEPT !.pc = "rel", !.l = None])

-----------------------------------------------------------------------------
(* The walk: x is the walker's record before a read, the result the one after *)
LockBefore(x, i) == IF i = 1 THEN x.l ELSE x.ch[i - 1].l
LastLock(x) == LockBefore(x, Len(x.ch) + 1)

\* nothing found, or it does not count any more
GiveUp(x) == [Calm(x) EXCEPT !.pc = "wait"]

\* try the next slot of the last hop
Back(x) ==
    IF x.ch = <<>> THEN GiveUp(x)
    ELSE LET hop == x.ch[Len(x.ch)] IN
         [x EXCEPT !.pc = "seq", !.ch = SubSeq(@, 1, Len(@) - 1),
                   !.h = [NoHop EXCEPT !.c = hop.c, !.s = hop.s + 1]]

Toward(x, c, from) == [x EXCEPT !.pc = "seq", !.h = [NoHop EXCEPT !.c = c, !.s = from]]
Confirm(x, vd) == [x EXCEPT !.pc = "cword", !.vd = vd, !.i = 1, !.h = NoHop]

\* Below a context that waits, who can take the free lock?  A suspended waiter does not see that it
\* has become head, but others can.
NextInLine(c, s, l, pend) ==
    LET rec == cp[c].rec[s] IN
    LET q == lk[l].q IN
    /\ Odd(rec.q) /\ rec.l = l
    /\ IF pend THEN rec.st = "pending"
       ELSE /\ ~Broken("pending-only")
            /\ rec.st = "head" \/ (rec.st = "queued" /\ ~Broken("told-only") /\
                  q # <<>> /\ q[1][1] = c /\ cx[q[1]].s = s)

OwnSuspended(k, l, pend) == \E s \in 0..cx[k].s-1 : NextInLine(k[1], s, l, pend)
Suspended(k, l, pend) ==
    {<<c, s>> \in (CPU \ {k[1]}) \X (0..SLOTS-2) : NextInLine(c, s, l, pend)}
Pend(l) == lk[l].p # <<>>
\* It may be next in line only since somebody had the lock in between: the word once more.
StillFree(x, l) == lk[l].b = 0 /\ Pend(l) = x.pb
Escaped(l) == {<<c, d>> \in CPU \X (0..SLOTS-1) : <<l, d>> \in cp[c].held}

(* Pass 1 *)
Word(k, x) ==
    LET l == LastLock(x) IN
    IF Mine(k[1], l) THEN Confirm(x, "self")
    ELSE IF lk[l].b = ESC THEN [x EXCEPT !.pc = "esc"]
    ELSE IF lk[l].b # 0 THEN Toward(x, lk[l].b, 0)
    ELSE IF Free(l) \/ Broken("no-suspended") THEN Back(x)
    ELSE [x EXCEPT !.pc = "susp", !.pb = Pend(l)]

Esc(x) ==
    LET found == Escaped(LastLock(x)) IN
    IF found = {} THEN Back(x) ELSE LET e == CHOOSE e \in found : TRUE IN Toward(x, e[1], e[2])

Susp(k, x) ==
    LET found == Suspended(k, LastLock(x), x.pb) IN
    IF OwnSuspended(k, LastLock(x), x.pb) THEN [x EXCEPT !.pc = "sword", !.vd = "self"]
    ELSE IF found = {} THEN Back(x)
    ELSE LET e == CHOOSE e \in found : TRUE IN
         [x EXCEPT !.pc = "sword", !.h = [NoHop EXCEPT !.c = e[1], !.s = e[2] + 1]]

SuspWord(x) ==
    IF ~StillFree(x, LastLock(x)) THEN Back([x EXCEPT !.vd = None, !.h = NoHop])
    ELSE IF x.vd = "self" THEN Confirm(x, "self")
    ELSE [x EXCEPT !.pc = "seq"]

HopSeq(x) ==
    IF x.h.s >= SLOTS THEN Back(x)
    ELSE IF Live(x.h.c, x.h.s) THEN [x EXCEPT !.pc = "lock", !.h.q = cp[x.h.c].rec[x.h.s].q]
    ELSE [x EXCEPT !.h.s = @ + 1]

HopLock(k, x) ==
    LET l == cp[x.h.c].rec[x.h.s].l IN
    LET y == [x EXCEPT !.ch = Append(@, [x.h EXCEPT !.l = l]), !.h = NoHop] IN
    IF l = None THEN [x EXCEPT !.pc = "seq", !.h.s = @ + 1, !.h.q = 0]
    ELSE IF \E i \in 1..Len(x.ch) + 1 : LockBefore(x, i) = l THEN Back(y)
    ELSE IF Len(y.ch) >= (IF Broken("pairs") THEN 2 ELSE HOPS) THEN GiveUp(y)
    ELSE [y EXCEPT !.pc = "word"]

(* Pass 2: the same blockers still *)
After2(x) == [x EXCEPT !.pc = "cseq", !.i = 1]

Onward(x) ==
    IF x.i = Len(x.ch) + 1 THEN After2(x)
    ELSE [x EXCEPT !.pc = "cword", !.i = @ + 1]

ConfirmWord(k, x) ==
    LET last == x.i = Len(x.ch) + 1 IN
    LET l == LockBefore(x, x.i) IN
    IF Broken("no-pass-2") THEN After2(x)
    ELSE IF Mine(k[1], l) THEN (IF last THEN Onward(x) ELSE GiveUp(x))
    ELSE IF lk[l].b = ESC THEN (IF last THEN GiveUp(x) ELSE [x EXCEPT !.pc = "cesc"])
    ELSE IF lk[l].b # 0 THEN (IF ~last /\ x.ch[x.i].c = lk[l].b THEN Onward(x) ELSE GiveUp(x))
    ELSE IF Free(l) THEN GiveUp(x)
    ELSE [x EXCEPT !.pc = "csusp", !.pb = Pend(l)]

ConfirmEsc(x) ==
    LET hop == x.ch[x.i] IN
    IF \E e \in Escaped(LockBefore(x, x.i)) : e[1] = hop.c /\ e[2] <= hop.s THEN Onward(x) ELSE GiveUp(x)

ConfirmSusp(k, x) ==
    LET last == x.i = Len(x.ch) + 1 IN
    LET l == LockBefore(x, x.i) IN
    LET self == OwnSuspended(k, l, x.pb) IN
    IF IF last THEN self
       ELSE ~self /\ \E e \in Suspended(k, l, x.pb) : e[1] = x.ch[x.i].c /\ e[2] < x.ch[x.i].s
    THEN [x EXCEPT !.pc = "csword"] ELSE GiveUp(x)

ConfirmSuspWord(x) == IF StillFree(x, LockBefore(x, x.i)) THEN Onward(x) ELSE GiveUp(x)

(* Ghost: does this context wait for itself, through owners, those next in line and interrupted contexts? *)
Waits(k) == Pc(k) \notin {"off", "idle", "leave", "we1", "we2", "wb1", "wb2", "wb3", "rel", "fast", "enter", "note"}
WaitsFor(k) ==
    (IF cp[k[1]].top > k[2] THEN {<<k[1], cp[k[1]].top>>} ELSE {}) \cup
    (IF ~Waits(k) THEN {}
     ELSE LET l == lk[L(k)] IN
          IF l.o # <<>> THEN {l.o}
          ELSE IF l.p # <<>> THEN {l.p} \ {k}
          ELSE IF l.q # <<>> THEN {l.q[1]} \ {k} ELSE {})
RECURSIVE Reaches(_, _, _)
Reaches(from, k, n) == LET to == UNION {WaitsFor(j) : j \in from} IN
    k \in to \/ (n > 0 /\ Reaches(to, k, n - 1))
InCycle(k) == Reaches({k}, k, Cardinality(CTX))

(* Pass 3: the same waits still *)
SameSeq(x, i) == LET now == cp[x.ch[i].c].rec[x.ch[i].s].q IN
    now = x.ch[i].q \/ (Broken("live-is-enough") /\ Odd(now)) \/ Broken("no-pass-3")

AfterWaits(x) == [x EXCEPT !.pc = "claim", !.i = 1]

ConfirmSeq(k, y) ==
    LET x == [y EXCEPT !.real = IF y.i = 1 THEN InCycle(k) ELSE @] IN
    IF x.i > Len(x.ch) THEN AfterWaits(x)
    ELSE IF ~SameSeq(x, x.i) THEN GiveUp(x)
    ELSE IF x.i = Len(x.ch) THEN AfterWaits(x)
    ELSE [x EXCEPT !.i = @ + 1]

WalkPcs == {"word", "esc", "susp", "sword", "seq", "lock", "cword", "cesc", "csusp", "csword", "cseq"}

Read(k, x) ==
    CASE x.pc = "word" -> Word(k, x)
      [] x.pc = "esc" -> Esc(x)
      [] x.pc = "susp" -> Susp(k, x)
      [] x.pc = "sword" -> SuspWord(x)
      [] x.pc = "seq" -> HopSeq(x)
      [] x.pc = "lock" -> HopLock(k, x)
      [] x.pc = "cword" -> ConfirmWord(k, x)
      [] x.pc = "cesc" -> ConfirmEsc(x)
      [] x.pc = "csusp" -> ConfirmSusp(k, x)
      [] x.pc = "csword" -> ConfirmSuspWord(x)
      [] x.pc = "cseq" -> ConfirmSeq(k, x)

RECURSIVE ReadAll(_, _)
\* The set makes TLC evaluate the record once.
ReadAll(k, x) == IF x.pc \in WalkPcs THEN CHOOSE r \in {ReadAll(k, y) : y \in {Read(k, x)}} : TRUE ELSE x

\* One read, or the whole walk where READS is off (what is missed, and claims, in larger systems).
Reading(k) ==
    /\ UNCHANGED <<lk, cp, irq, victims>>
    /\ Become(k, IF READS THEN Read(k, cx[k]) ELSE ReadAll(k, cx[k]))

-----------------------------------------------------------------------------
(* One victim *)
Coordinator(k) ==
    LET members == {<<cx[k].ch[i].c, cx[k].ch[i].s>> : i \in 1..Len(cx[k].ch)} \cup {<<k[1], cx[k].s>>} IN
    CHOOSE m \in members : \A o \in members : m[1] < o[1] \/ (m[1] = o[1] /\ m[2] <= o[2])
Own(k) == <<k[1], cx[k].s, Rec(k).q>>
ClaimOf(k) == LET m == Coordinator(k) IN cp[m[1]].rec[m[2]].cl
SetClaim(k, v) == LET m == Coordinator(k) IN cp' = [cp EXCEPT ![m[1]].rec[m[2]].cl = v]
ClaimLive(cl) == cp[cl[1]].rec[cl[2]].q = cl[3] /\ \A s \in cl[2]+1..SLOTS-1 : ~Live(cl[1], s)

Victim(x) == [x EXCEPT !.pc = "leave", !.r = "dl"]

Claim(k) ==
    LET old == ClaimOf(k) IN
    /\ UNCHANGED <<lk, cp, irq>>
    /\ IF Broken("no-claim") THEN Become(k, Victim(cx[k])) /\ victims' = victims + 1
       ELSE /\ UNCHANGED victims
            /\ Become(k, IF old = Own(k) THEN [cx[k] EXCEPT !.pc = "again", !.i = 1]
                         ELSE [cx[k] EXCEPT !.pc = IF old = <<>> THEN "cas" ELSE "rival", !.cl = old])

Rival(k) ==
    /\ UNCHANGED <<lk, cp, irq, victims>>
    /\ Become(k, IF ClaimLive(cx[k].cl) THEN GiveUp(cx[k]) ELSE [cx[k] EXCEPT !.pc = "cas"])

Cas(k) ==
    /\ UNCHANGED <<lk, irq, victims>>
    /\ IF ClaimOf(k) = cx[k].cl
       THEN SetClaim(k, Own(k)) /\ Become(k, [cx[k] EXCEPT !.pc = "again", !.i = 1, !.cl = <<>>])
       ELSE UNCHANGED cp /\ Become(k, GiveUp(cx[k]))

Again(k) ==
    LET x == cx[k] IN
    /\ UNCHANGED <<lk, cp, irq>>
    /\ IF x.i > Len(x.ch) \/ Broken("no-recheck")
       THEN Become(k, Victim(x)) /\ victims' = victims + 1
       ELSE /\ UNCHANGED victims
            /\ Become(k, [x EXCEPT !.pc = IF SameSeq(x, x.i) THEN "again" ELSE "unclaim", !.i = @ + 1])

Unclaim(k) ==
    /\ UNCHANGED <<lk, irq, victims>>
    /\ IF ClaimOf(k) = Own(k) THEN SetClaim(k, <<>>) ELSE UNCHANGED cp
    /\ Become(k, GiveUp(cx[k]))

Leave(k) ==
    /\ UNCHANGED <<irq, victims>>
    /\ SetRec(k, [Rec(k) EXCEPT !.st = "spin"])
    /\ lk' = [lk EXCEPT ![L(k)].p = IF @ = k THEN <<>> ELSE @,
                        ![L(k)].q = SelectSeq(@, LAMBDA x : x # k)]
    /\ Go(k, "we1")

-----------------------------------------------------------------------------
Act(k, pc) ==
    CASE pc = "idle" -> Idle(k)
      [] pc = "fast" -> Fast(k)
      [] pc = "note" -> Note(k)
      [] pc = "enter" -> Enter(k)
      [] pc \in {"wb1", "wb2", "wb3"} -> WaitBegin(k)
      [] pc = "join" -> Join(k)
      [] pc = "wait" -> Wait(k)
      [] pc \in {"we1", "we2"} -> WaitEnd(k)
      [] pc = "rel" -> Release(k)
      [] pc \in WalkPcs -> Reading(k)
      [] pc = "claim" -> Claim(k)
      [] pc = "rival" -> Rival(k)
      [] pc = "cas" -> Cas(k)
      [] pc = "again" -> Again(k)
      [] pc = "unclaim" -> Unclaim(k)
      [] pc = "leave" -> Leave(k)
      [] OTHER -> FALSE

Step(k) == cp[k[1]].top = k[2] /\ Act(k, Pc(k))
Top(c) == <<c, cp[c].top>>
Done == \A c \in CPU : cp[c].top = 0 /\ Pc(<<c, 0>>) = "idle" /\ cx[<<c, 0>>].round > Len(Tasks[c])
Finished == Done /\ UNCHANGED vars
Next == Finished \/ \E c \in CPU : Step(Top(c)) \/ Interrupt(c)
Spec == Init /\ [][Next]_vars /\ \A k \in CTX : WF_vars(Step(k))
-----------------------------------------------------------------------------
\* -EDEADLK only if all edges of a cycle existed at one moment between the second pass and the third.
Sound == \A k \in CTX : Pc(k) = "leave" => cx[k].real
\* Holds where no run can have two cycles one after the other.
OneVictim == victims <= 1
Mutex == \A l \in LOCK : \A k, j \in CTX :
    (\E i \in 1..Len(cx[k].has) : cx[k].has[i] = l) /\ (\E i \in 1..Len(cx[j].has) : cx[j].has[i] = l) => k = j
Restored == (\A c \in CPU : cp[c].top = 0 /\ Pc(<<c, 0>>) = "idle") =>
    /\ \A l \in LOCK : Free(l)
    /\ \A c \in CPU : cp[c].n = 0 /\ cp[c].held = {} /\ \A s \in 0..SLOTS-1 : ~Live(c, s)
\* Every cycle is found, for without that somebody waits for ever.
Ends == <>Done

-----------------------------------------------------------------------------
(* Programs *)
\* two heads, each interrupted by a context that wants the other's lock
TwoHeads == <<<<<<"a">>>>, <<<<"b">>>>, <<<<"a">>>>, <<<<"b">>>>>>
TwoHeadsIrq == [c \in CPU |-> IF c = 1 THEN <<"b">> ELSE IF c = 2 THEN <<"a">> ELSE <<>>]
LastTwo == [c \in CPU |-> IF c > 2 THEN 1 ELSE 0]
FromNothing == [c \in CPU |-> 0]
OneEach == [c \in CPU |-> 1]
FirstTwo == [c \in CPU |-> IF c <= 2 THEN 1 ELSE 0]
OnlySecond == [c \in CPU |-> IF c = 2 THEN 1 ELSE 0]
NoIrq == [c \in CPU |-> <<>>]
Pair == <<<<<<"a", "b">>>>, <<<<"b", "a">>>>>>
Pair2 == <<<<<<"a", "b">>, <<"a">>>>, <<<<"b", "a">>, <<"b">>>>>>
Moved == <<<<<<"b", "a">>>>, <<<<"a">>, <<"b">>>>>>
PairTwice == <<<<<<"a", "b">>, <<"a", "b">>>>, <<<<"b", "a">>, <<"b", "a">>>>>>
Ring3 == <<<<<<"a", "b">>>>, <<<<"b", "c">>>>, <<<<"c", "a">>>>>>
\* no cycle is possible
Order3 == <<<<<<"a", "b">>, <<"b">>>>, <<<<"b">>, <<"a", "b">>>>, <<<<"a">>, <<"b">>>>>>
Ring4 == <<<<<<"a", "b">>>>, <<<<"b", "c">>>>, <<<<"c", "d">>>>, <<<<"d", "a">>>>>>
Bystanders == <<<<<<"a", "b">>>>, <<<<"b", "a">>>>, <<<<"b">>>>, <<<<"a">>>>>>
\* an interrupt takes p on top of the waiter for a, while a's owner wants p
OnTop == <<<<<<"a">>>>, <<<<"a", "p">>>>>>
OnTopIrq == [c \in CPU |-> IF c = 1 THEN <<"p">> ELSE <<>>]
\* the interrupt waits for m, whose owner waits behind the interrupted task
Granted == <<<<<<"a">>>>, <<<<"a">>, <<"m", "a">>>>, <<<<"a">>>>>>
Granted2 == <<<<<<"a">>>>, <<<<"a">>, <<"m", "a">>>>>>
GrantedIrq == [c \in CPU |-> IF c = 1 THEN <<"m">> ELSE <<>>]
\* the interrupt holds p and waits for m; m's owner waits for p
Above == <<<<<<"a">>>>, <<<<"m", "p">>>>>>
AboveIrq == [c \in CPU |-> IF c = 1 THEN <<"p", "m">> ELSE <<>>]
=============================================================================
