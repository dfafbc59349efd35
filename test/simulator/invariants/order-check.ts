import type { PlatformOrder } from '../../../server/platforms/platform/platform.ts'
import { findMailbox } from '../aliases.ts'
import type { Harness } from '../harness.ts'
import { describeMail, type Invariant, type SentMail } from './scene.ts'

// D3: no mail after a purchase that the store could have told, and none of things that it could tell are sold out. Judged by what the store itself knows of its readings.

const FRESH_MS = 60_000

export const D3: Invariant = ({ harness, fresh }) =>
  fresh.flatMap((mail) => {
    const complete = lastComplete(harness, mail)
    if (complete === null) return [`${describeMail(mail)} left, and no reading of the orders had reached its end`]
    const ageMs = mail.at - complete
    const age = `the last complete reading of the orders began ${ageMs / 1_000} s before`
    if (ageMs > FRESH_MS) return [`${describeMail(mail)} left, and ${age}`]
    const bought = purchaseBefore(harness, mail, complete)
    if (bought) return [`${describeMail(mail)} left, though order ${bought.orderId} was there when ${age}`]
    return isSoldOut(harness, mail)
      ? [`${describeMail(mail)} left, though nothing of its cart could be bought any more`]
      : []
  })

/** For longer than a reading of stock may be old; and the shopper has put nothing else into the cart lately. */
function isSoldOut({ shop }: Harness, { at, evidence }: SentMail): boolean {
  const { items, lastActivityAt, sendingAt } = evidence
  if (items.length === 0 || lastActivityAt === null || sendingAt - lastActivityAt <= FRESH_MS) return false
  return items.every((id) => (shop.soldOut.get(id) ?? at) < at - FRESH_MS)
}

function lastComplete({ shop }: Harness, mail: SentMail): number | null {
  const starts = shop.readings
    .filter((each) => each.reachedEnd && each.startedAt <= mail.at)
    .map((each) => each.startedAt)
  return starts.length > 0 ? Math.max(...starts) : null
}

/**
 * A purchase at or after the episode's start, by somebody who matches, that the store told by then. (One that was taken back since may
 * have been read as what it became.)
 */
function purchaseBefore({ shop, erased }: Harness, mail: SentMail, told: number): PlatformOrder | undefined {
  const { keys, emails, cartStartedAt } = mail.evidence
  if (cartStartedAt === null) return undefined
  const mailboxes = new Set(emails.map(findMailbox))
  const known = new Set(keys)
  const versions = shop.versions.filter(({ since }) => since < told)
  const later = shop.versions.filter(({ since }) => since >= told && since <= mail.at)
  const takenBack = new Set(later.filter(({ order }) => order.kind !== 'purchase').map(({ order }) => order.orderId))
  const isEarlier = ({ kind, paidAt, modifiedAt }: PlatformOrder) =>
    kind === 'purchase' && Date.parse(paidAt ?? modifiedAt) < cartStartedAt
  const before = new Set(versions.filter(({ order }) => isEarlier(order)).map(({ order }) => order.orderId))
  return [...new Map(versions.map(({ order }) => [order.orderId, order])).values()].find((order) => {
    if (takenBack.has(order.orderId) || order.source === 'renewal') return false
    if (order.kind !== 'purchase' || Date.parse(order.paidAt ?? order.modifiedAt) < cartStartedAt) return false
    // A part of what was bought before the cart was begun (A6).
    if (order.parentId && before.has(order.parentId)) return false
    // Of whoever was erased nothing is known that would match.
    const isAlias = order.email !== null && !erased.has(order.email) && mailboxes.has(findMailbox(order.email))
    return isAlias || keysOf(order).some((key) => known.has(key))
  })
}

function keysOf({ orderId, email, phone, customerId, checkoutToken, cartToken }: PlatformOrder): string[] {
  return [
    `order:${orderId}`,
    ...(email ? [`email:${email}`] : []),
    ...(phone ? [`phone:${phone}`] : []),
    ...(customerId ? [`customer:${customerId}`] : []),
    ...(checkoutToken ? [`cart:checkout:${checkoutToken}`] : []),
    ...(cartToken ? [`cart:${cartToken}`] : []),
  ]
}
