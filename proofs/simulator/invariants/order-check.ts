import type { PlatformOrder } from '../../../server/platforms/platform/platform.ts'
import { findMailbox } from '../aliases.ts'
import type { Harness } from '../harness.ts'
import { describeMail, type Invariant, type SentMail } from './scene.ts'

// D3: no message follows a purchase that the store could have reported, or has products that it could have reported as
// sold out. Checked against the store's own record of the lists it served.

const FRESH_MS = 60_000

export const D3: Invariant = ({ harness, fresh }) =>
  fresh.flatMap((mail) => {
    const complete = findLastComplete(harness, mail)
    if (complete === null) return [`${describeMail(mail)} was sent without a complete order list`]
    const ageMs = mail.at - complete
    const age = `the last complete order list started ${ageMs / 1_000} s before`
    if (ageMs > FRESH_MS) return [`${describeMail(mail)} was sent, but ${age}`]
    const purchase = findPurchaseBefore(harness, mail, complete)
    if (purchase) return [`${describeMail(mail)} was sent although order ${purchase.orderId} existed when ${age}`]
    return isSoldOut(harness, mail)
      ? [`${describeMail(mail)} was sent although all products of its cart were sold out`]
      : []
  })

/** Sold out for longer than a stock check may be old, in an otherwise unchanged cart. */
function isSoldOut({ shop }: Harness, { at, evidence }: SentMail): boolean {
  const { items, lastActivityAt, sendingAt } = evidence
  if (items.length === 0 || lastActivityAt === null || sendingAt - lastActivityAt <= FRESH_MS) return false
  return items.every((id) => (shop.soldOut.get(id) ?? at) < at - FRESH_MS)
}

function findLastComplete({ shop }: Harness, mail: SentMail): number | null {
  const starts = shop.readings
    .filter((each) => each.reachedEnd && each.startedAt <= mail.at)
    .map((each) => each.startedAt)
  return starts.length > 0 ? Math.max(...starts) : null
}

/**
 * A purchase at or after the episode's start, by a matching person, that the store reported by then. (A purchase that
 * was cancelled since may have been read as cancelled.)
 */
function findPurchaseBefore({ shop, erased }: Harness, mail: SentMail, reportedBy: number): PlatformOrder | undefined {
  const { keys, emails, cartStartedAt } = mail.evidence
  if (cartStartedAt === null) return undefined
  const mailboxes = new Set(emails.map(findMailbox))
  const known = new Set(keys)
  const versions = shop.versions.filter(({ since }) => since < reportedBy)
  const later = shop.versions.filter(({ since }) => since >= reportedBy && since <= mail.at)
  const refunded = new Set(later.filter(({ order }) => order.kind !== 'purchase').map(({ order }) => order.orderId))
  const isEarlier = ({ kind, paidAt, modifiedAt }: PlatformOrder) =>
    kind === 'purchase' && Date.parse(paidAt ?? modifiedAt) < cartStartedAt
  const before = new Set(versions.filter(({ order }) => isEarlier(order)).map(({ order }) => order.orderId))
  return [...new Map(versions.map(({ order }) => [order.orderId, order])).values()].find((order) => {
    if (refunded.has(order.orderId) || order.source === 'renewal') return false
    if (order.kind !== 'purchase' || Date.parse(order.paidAt ?? order.modifiedAt) < cartStartedAt) return false
    // Part of a purchase from before the cart (A6).
    if (order.parentId && before.has(order.parentId)) return false
    // Nothing is known that would match an erased person.
    const isAlias = order.email !== null && !erased.has(order.email) && mailboxes.has(findMailbox(order.email))
    return isAlias || listOrderKeys(order).some((key) => known.has(key))
  })
}

function listOrderKeys({ orderId, email, phone, customerId, checkoutToken, cartToken }: PlatformOrder): string[] {
  return [
    `order:${orderId}`,
    ...(email ? [`email:${email}`] : []),
    ...(phone ? [`phone:${phone}`] : []),
    ...(customerId ? [`customer:${customerId}`] : []),
    ...(checkoutToken ? [`cart:checkout:${checkoutToken}`] : []),
    ...(cartToken ? [`cart:${cartToken}`] : []),
  ]
}
