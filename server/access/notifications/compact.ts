import type { StoreTx } from '../../core/db/db.ts'
import type { Sight } from './list-sql.ts'
import * as sql from './marks-sql.ts'

// A member who reads one notification after the other would have a mark for each of three months. Their marks are moved into `read_up_to`,
// which changes nothing of what is read and what is not (decision 66).

/** Single marks above `read_up_to` before they are. */
export const MOST_SINGLE_MARKS = 500

/** Before more are marked, and after the member is locked. */
export async function compactMarks(tx: StoreTx, sight: Sight): Promise<void> {
  for (const of of sql.BOTH) {
    if (!(await sql.placeOfMark(tx, sight, of, { after: sight[of].readUpTo, nth: MOST_SINGLE_MARKS }))) continue
    let after: Date | null = await dropUnreachable(tx, sight, of)
    while (after) after = await moveUp(tx, sight, of, after)
  }
}

/** What no list reaches any more counts as read: so a member has at most as many marks as lists have rows. Answers `read_up_to`. */
async function dropUnreachable(tx: StoreTx, sight: Sight, of: (typeof sql.BOTH)[number]): Promise<Date> {
  const { readUpTo } = sight[of]
  const end = await sql.endOfLists(tx, sight, of)
  if (!end) return readUpTo
  await sql.readUpTo(tx, sight, of, end)
  return end > readUpTo ? end : readUpTo
}

/** The oldest single marks, unless so much between them is unread that its marks would be hardly fewer. Answers `read_up_to` if it moved. */
async function moveUp(tx: StoreTx, sight: Sight, of: (typeof sql.BOTH)[number], after: Date): Promise<Date | null> {
  const upTo = await sql.placeOfMark(tx, sight, of, { after, nth: MOST_SINGLE_MARKS })
  if (!upTo) return null
  const most = MOST_SINGLE_MARKS / 2
  const unread = await sql.unreadBetween(tx, sight, of, { after, upTo, limit: most + 1 })
  if (unread.length > most) return null
  await sql.readUpToBut(tx, sight, of, { upTo, unread })
  return upTo
}
