import type { MessageView } from '../../../shared/carts.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import { foresee, type MessageForecast } from '../../delivery/decide/forecast.ts'
import { loadTextChannels } from '../../delivery/send/send-due.ts'
import type { Deps } from '../../deps.ts'
import { isCancelled, isOpen } from '../../messages/messages/state-rules.ts'
import { variantNames } from '../flows/variants.ts'
import {
  type FlowOfCart,
  listCartMessages,
  listShopperMessages,
  type MessageRow,
  readDecisions,
  readFlows,
} from './page-sql.ts'
import { type JoinedCart, presentMessage } from './present.ts'

/** The newest messages of a person with their decision records, for the customer page. */
export async function readMessagesOfShopper(
  store: StoreDb,
  shopperId: string,
  most: number,
): Promise<{ rows: MessageView[]; total: number }> {
  const rows = await listShopperMessages(store, shopperId, most)
  const decisions = await readDecisions(
    store,
    rows.map(({ id }) => id),
  )
  const told = { variants: await variantNames(store, stepIds(rows)) }
  return { rows: rows.map((row) => presentMessage(row, decisions, told)), total: rows[0]?.total ?? 0 }
}

export interface MessagesOfCart {
  messages: MessageView[]
  /** The flow that the cart belongs to; null: none. */
  flow: FlowOfCart | null
  joined: JoinedCart[]
}

/**
 * All messages of a cart with their decision records, and the forecast of planned ones, equal to that on the flow's
 * page.
 */
export async function readMessagesOfCart(deps: Deps, store: StoreDb<Db>, cartId: string): Promise<MessagesOfCart> {
  const rows = await listCartMessages(store, cartId)
  const ids = rows.map(({ id }) => id)
  const [decisions, variants, forecasts, flows] = await Promise.all([
    readDecisions(store, ids),
    variantNames(store, stepIds(rows)),
    forecastMessages(deps, store, rows),
    readFlows(store, cartId),
  ])
  return {
    messages: rows.map((row) => presentMessage(row, decisions, { variants, forecasts })),
    flow: flows.find(({ cart_id }) => cart_id === cartId)?.flow ?? null,
    joined: joinedWith(cartId, flows, rows),
  }
}

/** The carts that were merged into this one. */
function joinedWith(
  cartId: string,
  flows: Awaited<ReturnType<typeof readFlows>>,
  rows: readonly MessageRow[],
): JoinedCart[] {
  const own = flows.find(({ cart_id }) => cart_id === cartId)?.flow
  const gone = rows.filter(({ state, reason }) => isCancelled(state) && reason === 'merged')
  return flows
    .filter(({ cart_id }) => cart_id !== cartId)
    .map(({ cart_id: id, flow: other }) => ({
      id,
      cancelled: gone.filter(({ cart_id }) => cart_id === id).length,
      flows: other && own && other.id !== own.id ? { other: other.name, own } : null,
    }))
}

const stepIds = (rows: readonly MessageRow[]) => [...new Set(rows.flatMap(({ step_id }) => step_id ?? []))]

/** Forecasts until the last message expires. */
async function forecastMessages(deps: Deps, store: StoreDb<Db>, rows: readonly MessageRow[]) {
  const planned = rows.filter(({ state }) => isOpen(state))
  if (planned.length === 0) return new Map<string, MessageForecast>()
  const until = new Date(Math.max(...planned.map(({ expires_at }) => expires_at.getTime())))
  const texts = await loadTextChannels(deps, store, ['sms', 'whatsapp'])
  const awaited = planned.map(({ id, wake_at: wakeAt }) => ({ id, wakeAt }))
  return new Map((await foresee(deps, store, awaited, { until, texts })).map((each) => [each.id, each]))
}
