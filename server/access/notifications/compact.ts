import type { StoreTx } from '../../core/db/public.ts'
import type { MemberView } from './list-sql.ts'
import * as sql from './marks-sql.ts'

// Keeps the number of read marks small. A member who reads one by one would have a mark per notification of three
// months. Compaction moves marks into `read_up_to` without changing any read state (decision 66).

/** Number of single marks above `read_up_to` that triggers compaction. */
export const MAX_SINGLE_MARKS = 500

/** Call after locking the member and before adding marks. */
export async function compactMarks(tx: StoreTx, view: MemberView): Promise<void> {
  for (const of of sql.BOTH) {
    if (!(await sql.findMarkPosition(tx, view, of, { after: view[of].readUpTo, nth: MAX_SINGLE_MARKS }))) continue
    let after: Date | null = await markUnreachableRead(tx, view, of)
    while (after) after = await compactOldest(tx, view, of, after)
  }
}

/**
 * Counts rows beyond every list as read, so that a member has at most as many marks as lists have rows. Returns
 * `read_up_to`.
 */
async function markUnreachableRead(tx: StoreTx, view: MemberView, of: (typeof sql.BOTH)[number]): Promise<Date> {
  const { readUpTo } = view[of]
  const end = await sql.findListEnd(tx, view, of)
  if (!end) return readUpTo
  await sql.markReadUpTo(tx, view, of, end)
  return end > readUpTo ? end : readUpTo
}

/**
 * Compacts the oldest single marks, unless too many rows between them are unread to save marks. Returns `read_up_to` if
 * it moved.
 */
async function compactOldest(
  tx: StoreTx,
  view: MemberView,
  of: (typeof sql.BOTH)[number],
  after: Date,
): Promise<Date | null> {
  const upTo = await sql.findMarkPosition(tx, view, of, { after, nth: MAX_SINGLE_MARKS })
  if (!upTo) return null
  const maxUnread = MAX_SINGLE_MARKS / 2
  const unread = await sql.listUnreadBetween(tx, view, of, { after, upTo, limit: maxUnread + 1 })
  if (unread.length > maxUnread) return null
  await sql.markReadUpToExcept(tx, view, of, { upTo, unread })
  return upTo
}
