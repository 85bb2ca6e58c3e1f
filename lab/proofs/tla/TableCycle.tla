\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
----------------------------- MODULE TableCycle -----------------------------
(* Cycles of any length where the lock word does not name its owner: a table  *)
(* of entries per CPU, one for each lock that is held or attempted, and       *)
(* records of those that wait (kernel-patches/7.x/cycles).  An entry comes    *)
(* before the attempt and goes after the release, so it alone proves nothing. *)
(* The lock is an owner; with TURNS it has a pending bit and a queue as well, *)
(* and a record says how far its attempt has come.  There is no time limit.   *)
(*                                                                            *)
(* A task runs rounds; a round acquires its locks in order, then releases     *)
(* them in reverse order; after an error it releases what it has.  An         *)
(* interrupt on top of it, at any step, runs one such round.                  *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    CPU, LOCK,  \* CPU is a set of numbers from 1 on
    Tasks,      \* cpu -> rounds, each a sequence of locks
    Irq,        \* cpu -> the locks of its interrupt; <<>>: none comes
    Held,       \* CPUs whose task has its first lock at the beginning
    TURNS,      \* the lock has a pending bit and a queue
    READS,      \* the walk takes a step per read, else it is one step
    BREAK

VARIABLES
    owner,      \* lock -> context; what is true
    pend,       \* lock -> context with the pending bit
    q,          \* lock -> contexts in the queue, the head first
    tab,        \* cpu -> entries
    rec,        \* cpu -> level -> seq (odd: waits), lock, cnt, stage
    cx,         \* context -> program counter and locals
    irq,        \* cpu -> may its interrupt still come?
    was         \* ghost: was the context in a cycle since its walk began?

vars == <<owner, pend, q, tab, rec, cx, irq, was>>

None == "none"
Off == <<0, 0>>
CTX == CPU \X {0, 1}
Idle == [pc |-> "off", r |-> 1, i |-> 0, m |-> <<>>, next |-> None, u |-> 0, t |-> None]
Prog(x) == IF x[2] = 0 THEN Tasks[x[1]][cx[x].r] ELSE Irq[x[1]]
Top(c) == IF cx[<<c, 1>>].pc = "off" THEN <<c, 0>> ELSE <<c, 1>>
Want(x) == Prog(x)[cx[x].i]

(* ------------------------------- the truth -------------------------------- *)
Walking == {"seq", "claims", "lock", "word", "only", "again", "look", "verdict"}
Waiting == Walking \union {"begin", "enq", "behind", "queued", "wait"}
word == <<owner, pend, q>>
Unused(l) == owner[l] = Off /\ pend[l] = Off /\ q[l] = <<>>
\* The context that the others who want the lock wait for, or Off.
Blocker(l) == IF owner[l] # Off THEN owner[l] ELSE IF pend[l] # Off THEN pend[l]
              ELSE IF q[l] # <<>> THEN q[l][1] ELSE Off
Mine(x) == Blocker(Want(x)) = IF TURNS THEN x ELSE Off
Refused(x) == Blocker(Want(x)) # Off /\ ~Mine(x)

\* The CPU for which the context on top of c waits, or 0.
Next1(c) ==
    LET x == Top(c) IN
    IF cx[x].pc \in Waiting /\ Refused(x)
    THEN Blocker(Want(x))[1] ELSE 0

RECURSIVE Reaches(_, _, _)
Reaches(c, to, n) ==
    n > 0 /\ LET d == Next1(c) IN d # 0 /\ (d = to \/ Reaches(d, to, n - 1))
InCycle(x) == Top(x[1]) = x /\ Reaches(x[1], x[1], Cardinality(CPU))

(* ------------------------------ what is read ------------------------------ *)
Odd(r) == r.seq % 2 = 1
Level(c) == IF Odd(rec[c][1]) THEN 1 ELSE IF Odd(rec[c][0]) THEN 0 ELSE 2
\* The level of the wait on top, or 2. What is on top of it with an entry goes on.
TopWait(c) ==
    IF Level(c) # 2 /\ (BREAK = "busy" \/ Len(tab[c]) = rec[c][Level(c)].cnt) THEN Level(c) ELSE 2
\* A waiter ends its wait before it changes the word, so an owner is nobody that waits; "late": it
\* takes the lock first, as test and set does.
Owned(l) == owner[l] # Off /\ (TURNS \/ BREAK = "late" \/ cx[owner[l]].pc # "end")
Turn(l) ==
    IF Owned(l) THEN "owner" ELSE IF pend[l] # Off THEN "pend"
    ELSE IF q[l] # <<>> THEN "head" ELSE "free"
\* A waiter in the queue is told when it is the head, even if it is interrupted.
Stage(c, k, l) ==
    IF rec[c][k].stage = "behind" /\ q[l] # <<>> /\ q[l][1] = <<c, k>> THEN "head"
    ELSE rec[c][k].stage
\* Can the entry be that of whoever the others wait for, if it is the turn of t?
Blocks(c, e, l, t) ==
    LET K == {k \in {0, 1} : Odd(rec[c][k]) /\ rec[c][k].cnt = e} IN
    \/ K = {} \/ BREAK = "attempts"
    \/ BREAK # "stages" /\ \E k \in K : Stage(c, k, l) = t
Has(c, n, l, t) == \E e \in 1..Len(tab[c]) : e <= n /\ tab[c][e] = l /\ Blocks(c, e, l, t)
Claims(c, k, l) == Has(c, rec[c][k].cnt - 1, l, Turn(l))
\* Another such entry: one of the two is not the one.
Only(c, l, t) == BREAK \in {"many", "attempts"} \/ \A d \in CPU \ {c} : ~Has(d, Len(tab[d]), l, t)
Locked(l) == BREAK = "free" \/ Turn(l) # "free"
Same(m) == BREAK = "one-look" \/ rec[m.cpu][m.level].seq = m.seq

\* Where READS is FALSE: the whole walk.
RECURSIVE Found(_, _, _)
Found(x, l, n) ==
    n > 0 /\ \E d \in CPU :
        /\ TopWait(d) # 2
        /\ Claims(d, TopWait(d), l)
        /\ Locked(l)
        /\ Only(d, l, Turn(l))
        /\ (d = x[1] \/ Found(x, rec[d][TopWait(d)].lock, n - 1))

(* --------------------------------- steps ---------------------------------- *)
Go(x, pc) == cx' = [cx EXCEPT ![x].pc = pc]
Back(x) == cx' = [cx EXCEPT ![x].pc = "wait", ![x].m = <<>>, ![x].next = None, ![x].u = 0,
                        ![x].t = None]
Pop(c) == tab' = [tab EXCEPT ![c] = SubSeq(@, 1, Len(@) - 1)]
\* After the lock at i was had, or released down to i.
Ended(x) ==
    IF x[2] = 1 THEN Idle
    ELSE IF cx[x].r = Len(Tasks[x[1]]) THEN [Idle EXCEPT !.pc = "done"]
    ELSE [Idle EXCEPT !.pc = "entry", !.r = cx[x].r + 1, !.i = 1]
Release(x, n) ==
    cx' = [cx EXCEPT ![x] = IF n = 0 THEN Ended(x)
                            ELSE [Idle EXCEPT !.pc = "release", !.r = cx[x].r, !.i = n]]

Entry(x) ==
    /\ cx[x].pc = "entry"
    /\ tab' = [tab EXCEPT ![x[1]] = Append(@, Want(x))]
    /\ Go(x, "try")
    /\ UNCHANGED <<word, rec, irq>>

\* The lock is had: by its word, from wherever x stands.
Had(x, to) ==
    /\ owner' = [owner EXCEPT ![Want(x)] = x]
    /\ pend' = [pend EXCEPT ![Want(x)] = IF @ = x THEN Off ELSE @]
    /\ q' = [q EXCEPT ![Want(x)] = IF @ # <<>> /\ @[1] = x THEN Tail(@) ELSE @]
    /\ Go(x, to)

Got(x) ==
    IF cx[x].i = Len(Prog(x)) THEN Release(x, cx[x].i)
    ELSE cx' = [cx EXCEPT ![x] = [Idle EXCEPT !.pc = "entry", !.r = cx[x].r,
                                                   !.i = cx[x].i + 1]]

Try(x) ==
    /\ cx[x].pc = "try"
    /\ LET l == Want(x) IN
       IF Unused(l) THEN Had(x, "got")
       ELSE IF \E e \in 1..(Len(tab[x[1]]) - 1) : tab[x[1]][e] = l
       THEN Go(x, "clear") /\ UNCHANGED word   \* AA is told at once, by the own table
       ELSE /\ Go(x, "begin")
            /\ pend' = [pend EXCEPT ![l] = IF TURNS /\ @ = Off /\ q[l] = <<>> THEN x ELSE @]
            /\ UNCHANGED <<owner, q>>
    /\ UNCHANGED <<tab, rec, irq>>

GotStep(x) == cx[x].pc = "got" /\ Got(x) /\ UNCHANGED <<word, tab, rec, irq>>

\* A waiter of the queue says that it is the head until it knows better.
Begin(x) ==
    /\ cx[x].pc = "begin"
    /\ LET p == pend[Want(x)] = x IN
       /\ rec' = [rec EXCEPT ![x[1]][x[2]] =
                    [seq |-> @.seq + 1, lock |-> Want(x), cnt |-> Len(tab[x[1]]),
                     stage |-> IF p THEN "pend" ELSE "head"]]
       /\ Go(x, IF p \/ ~TURNS THEN "wait" ELSE "enq")
    /\ UNCHANGED <<word, tab, irq>>

Enqueue(x) ==
    /\ cx[x].pc = "enq"
    /\ q' = [q EXCEPT ![Want(x)] = Append(@, x)]
    /\ Go(x, IF q[Want(x)] = <<>> THEN "wait" ELSE "behind")
    /\ UNCHANGED <<owner, pend, tab, rec, irq>>

Behind(x) ==
    /\ cx[x].pc = "behind"
    /\ rec' = [rec EXCEPT ![x[1]][x[2]].stage = "behind"]
    /\ Go(x, "queued")
    /\ UNCHANGED <<word, tab, irq>>

Advance(x) ==
    /\ cx[x].pc = "queued"
    /\ q[Want(x)][1] = x
    /\ rec' = [rec EXCEPT ![x[1]][x[2]].stage = "head"]
    /\ Go(x, "wait")
    /\ UNCHANGED <<word, tab, irq>>

Take(x) ==
    /\ cx[x].pc = "wait"
    /\ Mine(x)
    /\ IF ~TURNS THEN Had(x, "end") ELSE Go(x, "end") /\ UNCHANGED word
    /\ UNCHANGED <<tab, rec, irq>>

Claim(x) == cx[x].pc = "claim" /\ Had(x, "got") /\ UNCHANGED <<tab, rec, irq>>

Even(x, pc, to) ==
    /\ cx[x].pc = pc
    /\ rec' = [rec EXCEPT ![x[1]][x[2]].seq = @ + 1]
    /\ Go(x, to)
    /\ UNCHANGED <<word, tab, irq>>

\* A failed attempt: its entry goes, then what is held.
Clear(x) ==
    /\ cx[x].pc = "clear"
    /\ Pop(x[1])
    /\ Release(x, cx[x].i - 1)
    /\ UNCHANGED <<word, rec, irq>>

\* Out of the queue, or the pending bit cleared.
Leave(x) ==
    /\ cx[x].pc = "leave"
    /\ pend' = [pend EXCEPT ![Want(x)] = IF @ = x THEN Off ELSE @]
    /\ q' = [q EXCEPT ![Want(x)] = IF @ # <<>> /\ @[1] = x THEN Tail(@) ELSE @]
    /\ Go(x, "clear")
    /\ UNCHANGED <<owner, tab, rec, irq>>

Free(x) ==
    /\ cx[x].pc = "release"
    /\ owner' = [owner EXCEPT ![Want(x)] = Off]
    /\ Go(x, "pop")
    /\ UNCHANGED <<pend, q, tab, rec, irq>>

PopStep(x) ==
    /\ cx[x].pc = "pop"
    /\ Pop(x[1])
    /\ Release(x, cx[x].i - 1)
    /\ UNCHANGED <<word, rec, irq>>

(* The walk, one read a step *)
Look1(x) ==
    /\ cx[x].pc = "wait" /\ READS
    /\ Refused(x)
    /\ cx' = [cx EXCEPT ![x].pc = "seq", ![x].next = Want(x)]

ReadSeq(x) ==
    /\ cx[x].pc = "seq"
    /\ \E d \in CPU :
        /\ TopWait(d) # 2
        /\ \A n \in 1..Len(cx[x].m) : cx[x].m[n].cpu # d
        /\ cx' = [cx EXCEPT ![x].pc = "claims",
                  ![x].m = Append(@, [cpu |-> d, level |-> TopWait(d),
                                      seq |-> rec[d][TopWait(d)].seq, lock |-> cx[x].next])]

Last(x) == cx[x].m[Len(cx[x].m)]

ReadTable(x) ==
    /\ cx[x].pc = "claims"
    /\ IF ~Claims(Last(x).cpu, Last(x).level, cx[x].next) THEN Back(x)
       ELSE IF Last(x).cpu = x[1] THEN cx' = [cx EXCEPT ![x].pc = "word", ![x].u = 1]
       ELSE Go(x, "lock")

ReadLock(x) ==
    /\ cx[x].pc = "lock"
    /\ cx' = [cx EXCEPT ![x].pc = "seq",
                        ![x].next = rec[Last(x).cpu][Last(x).level].lock]

ReadWord(x) ==
    /\ cx[x].pc = "word"
    /\ LET l == cx[x].m[cx[x].u].lock IN
       IF Locked(l) THEN cx' = [cx EXCEPT ![x].pc = "only", ![x].t = Turn(l)] ELSE Back(x)

ReadOnly(x) ==
    /\ cx[x].pc = "only"
    /\ LET m == cx[x].m[cx[x].u] IN
       IF Only(m.cpu, m.lock, cx[x].t) THEN Go(x, "again") ELSE Back(x)

ReadWordAgain(x) ==
    /\ cx[x].pc = "again"
    /\ LET last == cx[x].u = Len(cx[x].m) IN
       IF BREAK # "free" /\ Turn(cx[x].m[cx[x].u].lock) # cx[x].t THEN Back(x)
       ELSE cx' = [cx EXCEPT ![x].pc = IF last THEN "look" ELSE "word",
                             ![x].u = IF last THEN 1 ELSE @ + 1]

ReadAgain(x) ==
    /\ cx[x].pc = "look"
    /\ IF ~Same(cx[x].m[cx[x].u]) THEN Back(x)
       ELSE IF cx[x].u < Len(cx[x].m) THEN cx' = [cx EXCEPT ![x].u = @ + 1]
       ELSE IF BREAK # "free" /\ ~(Locked(Want(x)) /\ Refused(x)) THEN Back(x)
       ELSE Go(x, "verdict")

Walk(x) ==
    /\ Look1(x) \/ ReadSeq(x) \/ ReadTable(x) \/ ReadLock(x)
       \/ ReadWord(x) \/ ReadOnly(x) \/ ReadWordAgain(x) \/ ReadAgain(x)
    /\ UNCHANGED <<word, tab, rec, irq>>

WalkAtOnce(x) ==
    /\ ~READS /\ cx[x].pc = "wait"
    /\ Refused(x)
    /\ Found(x, Want(x), Cardinality(CPU))
    /\ Go(x, "verdict")
    /\ UNCHANGED <<word, tab, rec, irq>>

Step(x) ==
    /\ x = Top(x[1])
    /\ \/ Entry(x) \/ Try(x) \/ GotStep(x) \/ Begin(x) \/ Enqueue(x) \/ Behind(x)
       \/ Advance(x) \/ Take(x) \/ Claim(x) \/ Leave(x)
       \/ Even(x, "end", IF TURNS THEN "claim" ELSE "got") \/ Even(x, "verdict", "leave")
       \/ Clear(x) \/ Free(x) \/ PopStep(x) \/ Walk(x) \/ WalkAtOnce(x)

Interrupt(c) ==
    /\ irq[c]
    /\ cx[<<c, 1>>].pc = "off"
    /\ irq' = [irq EXCEPT ![c] = FALSE]
    /\ cx' = [cx EXCEPT ![<<c, 1>>] = [Idle EXCEPT !.pc = "entry", !.i = 1]]
    /\ UNCHANGED <<word, tab, rec>>

Ghost ==
    was' = [x \in CTX |-> cx'[x].pc \in Walking /\ (was[x] \/ InCycle(x)')]

AllDone == \A x \in CTX : cx[x].pc \in {"done", "off"}

Next ==
    \/ /\ (\E x \in CTX : Step(x)) \/ (\E c \in CPU : Interrupt(c))
       /\ Ghost
    \/ AllDone /\ UNCHANGED vars

First(c) == Tasks[c][1][1]
Init ==
    /\ owner = [l \in LOCK |-> IF \E c \in Held : First(c) = l
                              THEN <<CHOOSE c \in Held : First(c) = l, 0>> ELSE Off]
    /\ pend = [l \in LOCK |-> Off]
    /\ q = [l \in LOCK |-> <<>>]
    /\ tab = [c \in CPU |-> IF c \in Held THEN <<First(c)>> ELSE <<>>]
    /\ rec = [c \in CPU |-> [k \in {0, 1} |-> [seq |-> 0, lock |-> None, cnt |-> 0,
                                              stage |-> None]]]
    /\ cx = [x \in CTX |-> IF x[2] = 1 THEN Idle
                ELSE IF Tasks[x[1]] = <<>> THEN [Idle EXCEPT !.pc = "done"]
                ELSE [Idle EXCEPT !.pc = IF x[1] \in Held THEN "got" ELSE "entry", !.i = 1]]
    /\ irq = [c \in CPU |-> Irq[c] # <<>>]
    /\ was = [x \in CTX |-> FALSE]

Spec == Init /\ [][Next]_vars
Fair == Spec /\ \A x \in CTX : WF_vars(Step(x) /\ Ghost)

(* ------------------------------- properties ------------------------------- *)
Sound == \A x \in CTX : cx[x].pc = "verdict" => was[x]
Mutex == \A x \in CTX : cx[x].pc = "claim" => Blocker(Want(x)) = x
Restored == AllDone =>
    /\ \A l \in LOCK : Unused(l)
    /\ \A c \in CPU : tab[c] = <<>> /\ ~Odd(rec[c][0]) /\ ~Odd(rec[c][1])
Ends == <>[]AllDone

(* -------------------------------- programs -------------------------------- *)
NoIrq == [c \in CPU |-> <<>>]
Once(f) == [c \in DOMAIN f |-> IF f[c] = <<>> THEN <<>> ELSE <<f[c]>>]
Pair == Once((1 :> <<"a", "b">>) @@ (2 :> <<"b", "a">>))
Ring3 == Once((1 :> <<"a", "b">>) @@ (2 :> <<"b", "c">>) @@ (3 :> <<"c", "a">>))
Order3 == Once((1 :> <<"a", "b">>) @@ (2 :> <<"b", "c">>) @@ (3 :> <<"a", "c">>))
\* CPU 2 stops to wait for c, and takes b again, before 3 waits for what 1 holds.
Moved == (1 :> <<<<"a", "b">>>>) @@ (2 :> <<<<"b", "c">>, <<"b">>>>)
         @@ (3 :> <<<<"c">>, <<"c", "a">>>>)
\* The task's attempt is below an interrupt that waits: it holds nothing.
Below == Once((1 :> <<"a">>) @@ (2 :> <<"m", "a">>) @@ (3 :> <<"a">>))
BelowIrq == (1 :> <<"m">>) @@ (2 :> <<>>) @@ (3 :> <<>>)
\* The same, and the lock is handed on while the tables are read.
Handed == Below @@ Once(4 :> <<"a">>)
HandedIrq == BelowIrq @@ (4 :> <<>>)
\* A true cycle through what an interrupted task holds.
Above == Once((1 :> <<"a">>) @@ (2 :> <<"m", "a">>))
AboveIrq == (1 :> <<"m">>) @@ (2 :> <<>>)
\* The owner of a leaves while its pending waiter is interrupted; the interrupt wants b, whose
\* owner is interrupted as well, by the head of a's queue.
Staged == Once((1 :> <<"b">>) @@ (2 :> <<"a">>) @@ (3 :> <<"a">>))
StagedIrq == (1 :> <<"a">>) @@ (2 :> <<"b">>) @@ (3 :> <<>>)
=============================================================================
