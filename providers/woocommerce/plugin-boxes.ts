// The plugin's consent boxes, as additional fields of the block checkout (additional-fields.json).
import { type Box, readLink } from './plugin-link.ts'
import type { Session } from './sessions.ts'
import type { Shop } from './shop.ts'

/** null: the store has no connected plugin. */
export const readBoxes = (shop: Shop): Box[] | null => readLink(shop)?.boxes ?? null

/** An untouched box records no answer. */
export function recordBoxAnswers(shop: Shop, session: Session, fields: unknown): void {
  for (const { channel, words, id } of readBoxes(shop) ?? []) {
    const isGiven = (fields as Record<string, unknown> | undefined)?.[`recoup/consent-${channel}`]
    const before = session.said?.[channel]?.isGiven
    if (typeof isGiven !== 'boolean' || isGiven === before || (before === undefined && !isGiven)) continue
    session.said = { ...session.said, [channel]: { isGiven, id, wording: words } }
  }
}

/** Texts of ticked boxes, by channel. */
export const readConsentTexts = ({ said = {} }: Session): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said).flatMap(([channel, { isGiven, wording }]) => (isGiven ? [[channel, wording]] : [])),
  )
