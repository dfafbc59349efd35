import type { Invariant } from './scene.ts'

// A6, S3: a purchase counts once, however the shop splits it. Renewals do not end carts, and cancelled orders count
// nowhere.

export const A6: Invariant = ({ state }) => {
  const orders = new Map(state.orders.map((order) => [order.id, order]))
  const counted = state.orders.flatMap((part) => {
    const whole = part.parent === null ? undefined : orders.get(part.parent)
    if (whole?.kind !== 'purchase' || whole.purchasedAt === null) return []
    const isOnce = part.purchasedAt === null && part.net === 0 && part.message === null
    return isOnce ? [] : [`order ${part.id} counts in addition to ${whole.id}, of which it is a part`]
  })
  const tooMuch = state.orders
    .filter((order) => order.parent === null && order.purchasedAt !== null)
    .flatMap((whole) => {
      const parts = state.orders.filter(({ parent }) => parent === whole.id)
      const lost = parts
        .filter(({ kind }) => kind !== 'pending' && kind !== 'failed')
        .reduce((sum, part) => sum + part.total - (part.ownNet ?? part.net), 0)
      const most = Math.max(
        0,
        Math.min(whole.ownNet ?? whole.net, whole.total - (whole.kind === 'purchase' ? lost : 0)),
      )
      return parts.length === 0 || whole.net === most
        ? []
        : [`order ${whole.id} has a net of ${whole.net}, not ${most}`]
    })
  const renewed = state.carts
    .filter(({ status, order }) => ['recovered', 'purchased'].includes(status) && orders.get(order ?? '')?.isRenewal)
    .map(({ id, order }) => `cart ${id.slice(-6)} was ended by ${order}, a renewal`)
  const wrong = state.carts.flatMap(({ id, status, isVoid }) => {
    const own = state.orders.filter(({ cart, purchasedAt }) => cart === id && purchasedAt !== null)
    const isBought = status === 'recovered' || status === 'purchased'
    const isEmpty =
      isBought && own.length > 0 && own.every(({ net, total, kind }) => net === 0 && (total > 0 || kind !== 'purchase'))
    return isVoid === isEmpty || status === 'merged'
      ? []
      : [`cart ${id.slice(-6)} is void: ${isVoid}, its orders say ${isEmpty}`]
  })
  return [...counted, ...tooMuch, ...renewed, ...wrong]
}
