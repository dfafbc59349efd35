// The consent boxes of the plugin at this store's checkout, as additional fields of the block checkout (additional-fields.json).
import { type Box, readLink } from './plugin-link.ts'
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'

/** null: the store has no plugin that is connected. */
export const boxesOf = (shop: Shop): Box[] | null => readLink(shop)?.boxes ?? null

/** A box that was never ticked says nothing. */
export function hearBoxes(shop: Shop, session: Session, fields: unknown): void {
  for (const { channel, words, id } of boxesOf(shop) ?? []) {
    const isGiven = (fields as Record<string, unknown> | undefined)?.[`recoup/consent-${channel}`]
    const before = session.said?.[channel]?.isGiven
    if (typeof isGiven !== 'boolean' || isGiven === before || (before === undefined && !isGiven)) continue
    session.said = { ...session.said, [channel]: { isGiven, id, wording: words } }
  }
}

/** The words of what is ticked, by channel. */
export const agreedHere = ({ said = {} }: Session): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said).flatMap(([channel, { isGiven, wording }]) => (isGiven ? [[channel, wording]] : [])),
  )
