import type { FactPayload } from '../../../server/core/schema/facts.ts'
import { type AllowedIdentity, isNamed, type ModeState } from '../play-modes.ts'
import type { StoredFact } from '../state.ts'
import { describeMail, type Invariant } from './scene.ts'

// C9: before consent only data that the store's mode allows is stored, and no message uses other data. With consent it
// is stored.

export const C9: Invariant = ({ harness, state, before, fresh }) => {
  const { modes, scenario } = harness
  if (!modes) return []
  const known = new Set(before?.facts.map(({ id }) => id))
  const news = state === before ? [] : state.facts.filter(({ id }) => !known.has(id))
  return [
    ...modes.faults.splice(0),
    ...news.flatMap((fact) =>
      findFactFaults(modes, fact, scenario.beforeConsent === 'nothing').map(
        (fault) => `${scenario.beforeConsent}: ${fault}`,
      ),
    ),
    ...fresh
      .filter(({ to, channel }) => channel !== 'push' && !isNamed(modes, to))
      .map((mail) => `${describeMail(mail)} was sent to an address that may not be stored`),
  ]
}

const NOTHING: AllowedIdentity = { email: false, phone: false, browser: false }

function findFactFaults(modes: ModeState, { key, payload }: StoredFact, isStrict: boolean): string[] {
  const factPayload = payload as FactPayload
  if (factPayload.type === 'lost' || key.startsWith('erased:')) return []
  if (factPayload.type === 'order') {
    const addresses = [factPayload.contact.email, factPayload.contact.phone].filter((each) => each !== undefined)
    return [
      ...(isStrict && !modes.orders.has(factPayload.orderId) ? [`order ${factPayload.orderId} is stored`] : []),
      ...addresses
        .filter((each) => !isNamed(modes, each))
        .map((each) => `order ${factPayload.orderId} is stored with ${each}`),
    ]
  }
  const allowed = modes.posts.get(key)
  const { email, unconfirmedEmail, phone, unconfirmedPhone } = factPayload.contact ?? {}
  const { email: mayEmail, phone: mayPhone, browser } = allowed ?? NOTHING
  return [
    ...(allowed ? [] : [`${key} is kept`]),
    ...(mayEmail || !(email ?? unconfirmedEmail) ? [] : [`${key} is stored with its address`]),
    ...(mayPhone || !(phone ?? unconfirmedPhone) ? [] : [`${key} is stored with its number`]),
    ...(browser || ((factPayload.toldBy?.length ?? 0) < 2 && !factPayload.zone)
      ? []
      : [`${key} is stored with its browser`]),
  ]
}
