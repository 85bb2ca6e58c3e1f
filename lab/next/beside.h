/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Other names for the globals of the next form, so that both fit into one program. */
#ifndef LAB_NEXT_BESIDE_H
#define LAB_NEXT_BESIDE_H

#define res_spin_tag			    next_spin_tag
#define res_cpu				    next_cpu
#define res_held_here			    next_held_here
#define res_find_cycle			    next_find_cycle
#define resilient_queued_spin_lock_slowpath next_queued_spin_lock_slowpath
#define resilient_tas_spin_lock		    next_tas_spin_lock
#define resilient_spin_unlock_escaped	    next_spin_unlock_escaped

#endif /* LAB_NEXT_BESIDE_H */
