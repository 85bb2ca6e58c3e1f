\* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
------------------------------ MODULE ResTrace ------------------------------
(* Is what the C did to the word of one lock something that ResLeave can do?  *)
(* TraceData.tla is written by traces.py: the changes of the word, each with  *)
(* the CPU that made it, as the scheduler of lab/schedules/mc saw them. Steps *)
(* that leave the word as it is are free.                                     *)
EXTENDS ResLeave, TraceData

VARIABLES trace, at

TInit == Init /\ trace \in 1..Len(Traces) /\ at = 1

Writes(c) == Step(Top(c)) \/ Stall(Top(c)) \/ Start(<<c, 0>>) \/ Irq(c)

TNext ==
    /\ at <= Len(Traces[trace]) \* accepted: no need to see the rest
    /\ \E c \in CPU :
        /\ Writes(c)
        /\ IF w' = w THEN at' = at
           ELSE LET e == Traces[trace][at] IN
                at' = at + 1 /\ c = e.cpu /\ \A l \in LOCK : w'[l] = e.word
    /\ UNCHANGED trace

TSpec == TInit /\ [][TNext]_<<vars, trace, at>>

ASSUME \A t \in 1..Len(Traces) : TLCSet(t, FALSE)
\* Always true; tells of each trace once that it can be followed to its end.
Accepted ==
    IF at = Len(Traces[trace]) + 1 /\ ~TLCGet(trace)
    THEN TLCSet(trace, TRUE) /\ PrintT(<<"accepted", trace>>) ELSE TRUE
=============================================================================
