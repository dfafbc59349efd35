import type { Order, State, Touch } from '../witness.ts'
import { type Invariant, MOMENT_MS, name, OPEN } from './scene.ts'

// C2, C5, T1, T4, A3: what a person is spared, and what a message may call its own.

/** An unsubscribe counts for every message not yet handed over. */
export const C2: Invariant = ({ theatre, step, state, fresh }) => {
  const left = fresh
    .filter(({ at, standing }) => standing.unsubscribedSince !== null && at - standing.unsubscribedSince >= MOMENT_MS)
    .map((mail) => `${name(mail)} left after that person had unsubscribed`)
  const address = step.do === 'unsubscribe' ? theatre.justUnsubscribed : null
  const carts = new Set(address ? state.carts.filter((cart) => cart.email === address).map((cart) => cart.id) : [])
  const open = state.messages.filter((message) => OPEN.has(message.state) && carts.has(message.cart))
  return [...left, ...open.map((message) => `step ${message.step} to ${address} is open after the unsubscribe`)]
}

/** A consent withdrawn holds back every message not yet handed over, until the person gives it again. */
export const C5: Invariant = ({ fresh }) =>
  fresh
    .filter(({ at, standing }) => standing.withdrawnSince !== null && at - standing.withdrawnSince >= MOMENT_MS)
    .map((mail) => `${name(mail)} left after that person had withdrawn consent`)

/** At most `cap` messages per person in any 24 hours; those that were provably not accepted do not count. */
export const T1: Invariant = ({ fresh, mails }) => {
  const taken = new Set(mails.filter((mail) => mail.isTaken).map((mail) => mail.id))
  return fresh.flatMap((mail) => {
    const { others, cap } = mail.evidence
    const count = 1 + others.filter((id) => taken.has(id)).length
    return count > cap ? [`${name(mail)} is number ${count} to that person within a day; ${cap} are allowed`] : []
  })
}

const LONGEST_SPACING_MS = 12 * 3_600_000

/** However the clock jumps, steps of a cart follow each other in order, no closer than their delays (12 h at most). */
export const T4: Invariant = ({ theatre, fresh, mails }) =>
  fresh.flatMap((mail) => {
    const { cart, origin, step, delay, handedOverAt } = mail.evidence
    return mails.flatMap((other) => {
      const e = other.evidence
      if (!e || other.id === mail.id || !other.isTaken || e.cart !== cart || e.origin !== origin) return []
      if (mails.indexOf(other) > mails.indexOf(mail)) return []
      if (e.step > step) return [`${name(mail)} left after step ${e.step}`]
      // Delays edited in between: the rows follow the new ones.
      if (theatre.editedAt !== null && theatre.editedAt >= other.at - MOMENT_MS) return []
      const least = Math.min((delay - e.delay) * 60_000, LONGEST_SPACING_MS)
      const apart = Math.max(Math.abs(handedOverAt - e.handedOverAt), mail.at - other.at)
      return apart < least ? [`${name(mail)} left ${apart / 1_000} s after step ${e.step}, not ${least / 1_000}`] : []
    })
  })

const WINDOW_MS = 5 * 86_400_000

/** Each order's revenue is given once, to the last human touch before it or to none; so never more than the store took. */
export const A3: Invariant = ({ theatre, state }) => {
  const bought = state.orders.filter((order) => order.purchasedAt !== null)
  const given = bought.filter((order) => order.message !== null)
  const sum = (orders: readonly Order[]) => orders.reduce((total, order) => total + order.net, 0)
  const tooMuch = sum(given) > sum(bought) ? [`${sum(given)} attributed of ${sum(bought)}`] : []
  const nets = new Set(theatre.shop.versions.map(({ order }) => `${order.orderId}:${netOf(order)}`))
  const invented = state.orders
    .filter((order) => !nets.has(`${order.id}:${order.net}`))
    .map((order) => `order ${order.id} never brought ${order.net}`)
  if (theatre.hasJumped) return [...tooMuch, ...invented]
  const wrong = bought.flatMap((order) => {
    const touch = lastTouch(state, order)
    if (order.message === (touch?.message ?? null)) return []
    return [`order ${order.id} is given to ${order.message}, its last touch is ${touch?.message ?? 'none'}`]
  })
  return [...tooMuch, ...invented, ...wrong]
}

const netOf = (order: { kind: string; totalMinor: number; refundedMinor: number }) =>
  order.kind === 'purchase' ? order.totalMinor - order.refundedMinor : 0

function lastTouch(state: State, order: Order): Touch | undefined {
  const at = order.purchasedAt!
  if (order.isStaff) return undefined
  // Orders are dated to the second.
  const nextSecond = at - (at % 1_000) + 1_000
  return state.touches
    .filter(({ isHuman, shopper, at: touchedAt }) => {
      return isHuman && shopper === order.shopper && touchedAt < nextSecond && touchedAt >= at - WINDOW_MS
    })
    .sort((a, b) => b.at - a.at)[0]
}
