import type { PlatformOrder } from '../../server/platforms/platform/platform.ts'
import { reachShop } from '../../server/workspace/plugin-calls/reach.ts'
import type { ActOf, Harness } from './harness.ts'
import { connectPlugin, type Plugin, type PluginCall, sendCall, signCall } from './play-plugin.ts'
import { listCurrentOrders, PRODUCTS } from './shop.ts'

// A shop that Recoup cannot reach: its plugin reports orders, stock and prices with its beats, as Recoup's last reply
// asked (D3).

type Kind = 'reach' | 'beat'
type Players = { [Each in Kind]: (harness: Harness, act: ActOf<Each>) => Promise<unknown> }

/** What the last reply asked for. */
export interface BeatRequest {
  since: string | null
  goods: readonly { product: string; variation: string | null }[]
}

/** After a beat the plugin sends another at once while there is more to report. */
const MOST_BEATS = 20
/** Most orders in one report. */
const MOST_ORDERS = 3

export const beatPlayers: Players = {
  async reach(harness, { isReached }) {
    harness.shop.isCutOff = !isReached
    if (await connectPlugin(harness)) await reachShop(harness.web.deps, { storeId: harness.fixture.storeId })
  },
  async beat(harness, act) {
    const plugin = await connectPlugin(harness)
    const isUp = harness.shop.mood === 'answers' || harness.shop.mood === 'is slow'
    if (!plugin || !isUp) return
    for (let beats = 0; beats < MOST_BEATS; beats++) if (!(await sendBeat(harness, plugin, act))) return
  },
}

/** Sends a beat; returns whether the next one follows at once. */
async function sendBeat(harness: Harness, plugin: Plugin, { readingMs, network }: ActOf<'beat'>): Promise<boolean> {
  const { request } = plugin
  const { report, reading } = request.since === null ? NO_REPORT : await readShop(harness, request, readingMs)
  const call = signCall(harness, plugin, 'beat', buildBody(plugin, report))
  if (network === 'lost') return false
  const answer = await deliverBeat(plugin, call)
  if (!answer) return false
  if (reading) reading.reachedEnd = report!.isComplete
  if (network === 'twice' && (await sendCall(plugin, call)).statusCode !== 409)
    plugin.faults.push('a beat counted twice')
  if (network === 'unanswered') return false
  plugin.request = { since: answer.ask.ordersSince, goods: answer.ask.goods }
  if (plugin.request.since === null) return false
  const had = new Set(report?.goods.map(({ product }) => product))
  return !report?.isComplete || plugin.request.goods.some(({ product }) => !had.has(product))
}

const NO_REPORT = { report: null, reading: null }

/** Reads the orders as they are at the start, then stock and prices. */
async function readShop({ shop, clock }: Harness, { since, goods }: BeatRequest, readingMs: number) {
  const startedAt = clock.trueNow()
  const reading = { startedAt, reachedEnd: false }
  shop.readings.push(reading)
  // Drafts are not reported.
  const orders = listCurrentOrders(shop)
    .filter((order) => order.kind !== 'draft' && Date.parse(order.modifiedAt) >= Date.parse(since!))
    .sort((a, b) => a.modifiedAt.localeCompare(b.modifiedAt))
  await clock.passTime(readingMs)
  const report = {
    since,
    isComplete: orders.length <= MOST_ORDERS,
    list: orders.slice(0, MOST_ORDERS).map(buildWireOrder),
    goods: goods.map((each) => ({ ...each, terms: buildTerms(each.product, shop.soldOut.has(each.product)) })),
    // Difference of two clock readings in whole seconds.
    age: Math.floor(clock.trueNow() / 1_000) - Math.floor(startedAt / 1_000),
  }
  return { report, reading }
}

const buildTerms = (id: string, isSoldOut: boolean) => ({
  id: Number(id),
  status: 'publish',
  purchasable: true,
  stock_status: isSoldOut ? 'outofstock' : 'instock',
  stock_quantity: null,
  on_sale: false,
  price: formatMoney(PRODUCTS.find((each) => each.id === id)!.priceMinor),
})

const formatMoney = (minor: number) => (minor / 100).toFixed(2)

const STATUS: Partial<Record<PlatformOrder['kind'], string>> = { purchase: 'processing', trashed: 'trash' }
const VIA: Partial<Record<PlatformOrder['source'], string>> = { staff: 'admin', renewal: 'subscription' }

/** An order in the form of the shop's REST API. */
function buildWireOrder(order: PlatformOrder) {
  const { country, state, email, phone } = order
  const consents = (order.consents ?? []).flatMap(({ channel, wording }) => [
    { key: `_recoup_consent_${channel}`, value: 'yes' },
    { key: `_recoup_consent_${channel}_wording`, value: wording },
  ])
  return {
    id: Number(order.orderId),
    parent_id: Number(order.parentId ?? 0),
    currency: order.currency,
    status: STATUS[order.kind] ?? order.kind,
    date_created_gmt: order.createdAt,
    date_modified_gmt: order.modifiedAt,
    date_paid_gmt: order.paidAt,
    total: formatMoney(order.totalMinor),
    prices_include_tax: false,
    customer_id: Number(order.customerId ?? 0),
    billing: { country: country ?? '', state: state ?? '', email: email ?? '', phone: phone ?? '' },
    shipping: {},
    line_items: order.items.map(({ productId, name, quantity, unitPriceMinor }) => ({
      product_id: Number(productId),
      variation_id: 0,
      name,
      quantity,
      subtotal: formatMoney(unitPriceMinor * quantity),
      price: unitPriceMinor / 100,
    })),
    refunds: order.refundedMinor > 0 ? [{ total: `-${formatMoney(order.refundedMinor)}` }] : [],
    coupon_lines: order.coupons.map((code) => ({ code, discount: '0.00', discount_tax: '0.00' })),
    created_via: VIA[order.source] ?? 'checkout',
    meta_data: consents,
  }
}

const HEALTH = { queue: 0, oldestS: 0, droppedDay: 0, errorsDay: 0, cronS: 30, isCronDisabled: false, isBlocked: false }

const buildBody = ({ install }: Plugin, orders: object | null): string =>
  JSON.stringify({ v: 1, plugin: '1.0.0', install, settings: '', health: HEALTH, ...(orders && { orders }) })

interface Answer {
  ask: { ordersSince: string | null; goods: BeatRequest['goods'] }
}

async function deliverBeat(plugin: Plugin, call: PluginCall): Promise<Answer | null> {
  const reply = await sendCall(plugin, call)
  if (reply.statusCode === 200) return reply.json()
  plugin.faults.push(`a beat got status ${reply.statusCode}, not 200`)
  return null
}
