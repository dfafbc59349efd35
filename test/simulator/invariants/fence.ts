import type { PlatformOrder } from '../../../server/platforms/platform.ts'
import type { Theatre } from '../theatre.ts'
import { type Departed, type Invariant, name } from './scene.ts'

// D3: no mail after a purchase that the store could have told. Judged by what the store itself knows of its readings.

const FRESH_MS = 60_000
const DEGRADED_MS = 15 * 60_000

export const D3: Invariant = ({ theatre, fresh }) =>
  fresh.flatMap((mail) => {
    const complete = lastComplete(theatre, mail)
    if (complete === null) return [`${name(mail)} left, and no reading of the orders had reached its end`]
    const ageMs = mail.at - complete
    const limit = hasFailedSince(theatre, mail, complete) ? DEGRADED_MS : FRESH_MS
    const age = `the last complete reading of the orders began ${ageMs / 1_000} s before`
    if (ageMs > limit) return [`${name(mail)} left, and ${age}`]
    const bought = purchaseBefore(theatre, mail, complete)
    return bought ? [`${name(mail)} left, though order ${bought.orderId} was there when ${age}`] : []
  })

function lastComplete({ shop }: Theatre, mail: Departed): number | null {
  const starts = shop.readings
    .filter((each) => each.reachedEnd && each.startedAt <= mail.at)
    .map((each) => each.startedAt)
  return starts.length > 0 ? Math.max(...starts) : null
}

const hasFailedSince = ({ shop }: Theatre, mail: Departed, since: number) =>
  shop.readings.some((each) => !each.reachedEnd && each.startedAt >= since && each.startedAt <= mail.at)

/**
 * A purchase at or after the episode's start, by somebody who matches, that the store told by then. (One that was taken back since may
 * have been read as what it became.)
 */
function purchaseBefore({ shop }: Theatre, mail: Departed, told: number): PlatformOrder | undefined {
  const { keys, cartStartedAt } = mail.evidence
  const known = new Set(keys)
  const versions = shop.versions.filter(({ since }) => since < told)
  const later = shop.versions.filter(({ since }) => since >= told && since <= mail.at)
  const takenBack = new Set(later.filter(({ order }) => order.kind !== 'purchase').map(({ order }) => order.orderId))
  return [...new Map(versions.map(({ order }) => [order.orderId, order])).values()].find((order) => {
    if (takenBack.has(order.orderId)) return false
    if (order.kind !== 'purchase' || Date.parse(order.paidAt ?? order.modifiedAt) < cartStartedAt) return false
    return keysOf(order).some((key) => known.has(key))
  })
}

function keysOf({ orderId, email, phone, customerId }: PlatformOrder): string[] {
  return [
    `order:${orderId}`,
    ...(email ? [`email:${email}`] : []),
    ...(phone ? [`phone:${phone}`] : []),
    ...(customerId ? [`customer:${customerId}`] : []),
  ]
}
