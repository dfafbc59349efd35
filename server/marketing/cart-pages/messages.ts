import type { MessageView, OriginKind } from '../../../shared/carts/carts.ts'
import { DISCOUNT_MAIL } from '../../../shared/carts/carts.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { withMerged } from '../../carts/carts/public.ts'
import { removePixel } from '../../carts/links/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import {
  explainByChannel,
  explainForecast,
  explainSkippedChannels,
  foresee,
  type MessageForecast,
  readChannel,
} from '../../delivery/decide/public.ts'
import { loadTextChannels } from '../../delivery/send/public.ts'
import type { Deps } from '../../deps.ts'
import { describeState, isCancelled, isOpenState, wasEverAttempted } from '../../messages/messages/public.ts'
import { explainConsent } from '../../shoppers/consent/public.ts'
import { nameVariants } from '../flows/public.ts'
import type { JoinedCart } from './present.ts'

/** The newest messages of a person with their decision records, for the customer page. */
export async function readMessagesOfShopper(
  store: StoreDb,
  shopperId: string,
  max: number,
): Promise<{ rows: MessageView[]; total: number }> {
  const rows = await listShopperMessages(store, shopperId, max)
  const decisions = await readDecisions(
    store,
    rows.map(({ id }) => id),
  )
  const names = { variants: await nameVariants(store, listStepIds(rows)) }
  return { rows: rows.map((row) => presentMessage(row, decisions, names)), total: rows[0]?.total ?? 0 }
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
export async function readMessagesOfCart(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  cartId: string,
): Promise<MessagesOfCart> {
  const rows = await listCartMessages(store, cartId)
  const ids = rows.map(({ id }) => id)
  const [decisions, variants, forecasts, flows] = await Promise.all([
    readDecisions(store, ids),
    nameVariants(store, listStepIds(rows)),
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
  const mergedRows = rows.filter(({ state, reason }) => isCancelled(state) && reason === 'merged')
  return flows
    .filter(({ cart_id }) => cart_id !== cartId)
    .map(({ cart_id: id, flow: other }) => ({
      id,
      cancelled: mergedRows.filter(({ cart_id }) => cart_id === id).length,
      flows: other && own && other.id !== own.id ? { other: other.name, own } : null,
    }))
}

const listStepIds = (rows: readonly MessageRow[]) => [...new Set(rows.flatMap(({ step_id }) => step_id ?? []))]

/** Forecasts until the last message expires. */
async function forecastMessages(
  deps: Pick<Deps, 'channels' | 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  rows: readonly MessageRow[],
) {
  const planned = rows.filter(({ state }) => isOpenState(state))
  if (planned.length === 0) return new Map<string, MessageForecast>()
  const until = new Date(Math.max(...planned.map(({ expires_at }) => expires_at.getTime())))
  const texts = await loadTextChannels(deps, store, ['sms', 'whatsapp'])
  const awaited = planned.map(({ id, wake_at: wakeAt }) => ({ id, wakeAt }))
  return new Map((await foresee(deps, store, awaited, { until, texts })).map((each) => [each.id, each]))
}

interface FlowOfCart {
  id: string
  name: string
  isOn: boolean
}

/** The cart and the carts merged into it, each with its flow. */
async function readFlows({ db, storeId }: StoreDb, cartId: string) {
  const { rows } = await sql<{ cart_id: string; flow: FlowOfCart | null }>`
    select c.id as cart_id, case when f.id is not null then jsonb_build_object('id', f.id, 'name', f.name, 'isOn', f.is_on) end as flow
    from carts c left join flows f on f.store_id = c.store_id and f.id = c.flow_id
    where c.store_id = ${storeId} and c.id in ${withMerged(storeId, cartId)}`.execute(db)
  return rows
}

async function listCartMessages({ db, storeId }: StoreDb, cartId: string): Promise<MessageRow[]> {
  const rows = await sql<MessageRow>`
    select ${MESSAGE} where m.store_id = ${storeId} and m.cart_id = any(array${withMerged(storeId, cartId)})
    order by m.due_at, m.step`.execute(db)
  return rows.rows
}

/**
 * Messages with and without a cart, newest first, and their number. The ids are passed as an array: PostgreSQL reorders
 * joins of up to eight tables only, and a message already joins eight.
 */
async function listShopperMessages(
  { db, storeId }: StoreDb,
  shopperId: string,
  max: number,
): Promise<(MessageRow & { total: number })[]> {
  const rows = await sql<MessageRow & { total: number }>`
    select count(*) over ()::int as total, ${MESSAGE} where m.store_id = ${storeId} and m.id = any(array(
      select x.id from carts c join messages x on x.store_id = c.store_id and x.cart_id = c.id
      where c.store_id = ${storeId} and c.shopper_id = ${shopperId}
      union all
      select x.id from messages x where x.store_id = ${storeId} and x.lone_shopper_id = ${shopperId}))
    order by coalesce(m.sending_at, m.due_at) desc, m.id desc limit ${max}`.execute(db)
  return rows.rows
}

const MESSAGE = sql`m.id, m.origin_kind, m.origin_id, coalesce(f.name, g.name) as origin_name, m.origin_kind = 'manual' and exists (
        select 1 from manual_messages h where h.store_id = m.store_id and h.message_id = m.id and h.coupon_id is not null) as is_discount, coalesce(fs.step, m.step) as step,
      case when fs.removed_at is not null then ft.name end as removed_step, m.channel, m.state, m.reason, m.due_at, m.expires_at, m.wake_at, m.step_id,
      m.variant_id, m.cart_id, m.sending_at, m.finished_at,
      case when ${wasEverAttempted('m')} then m.to_address end as to_address, case when ${wasEverAttempted('m')} then m.subject end as subject,
      case when ${wasEverAttempted('m')} then m.body_html end as body_html, m.provider_response,
      d.at as delivered_at, r.at as read_at
    from messages m join stores s on s.id = m.store_id
    left join delivery_reports d on d.account_id = s.account_id and d.channel = m.channel and d.provider_id = m.provider_id
      and d.status = 'delivered'
    left join delivery_reports r on r.account_id = s.account_id and r.channel = m.channel and r.provider_id = m.provider_id
      and r.status = 'read'
    left join flows f on f.store_id = m.store_id and f.id = m.origin_id and m.origin_kind in ('flow', 'push')
    left join flow_steps fs on fs.store_id = f.store_id and fs.flow_id = f.id and fs.id = m.step_id
    left join templates ft on ft.store_id = fs.store_id and ft.id = fs.template_id
    left join campaigns g on g.store_id = m.store_id and g.id = m.origin_id and m.origin_kind = 'campaign'`

type DecisionRow = Awaited<ReturnType<typeof readDecisions>>[number]

function presentMessage(
  row: MessageRow,
  decisions: readonly DecisionRow[],
  { variants, forecasts }: MessageContext,
): MessageView {
  const own = decisions.filter(({ message_id }) => message_id === row.id)
  const forecast = forecasts?.get(row.id)
  return {
    id: row.id,
    originKind: row.origin_kind,
    originId: row.origin_id,
    originName: row.origin_name ?? (row.is_discount ? DISCOUNT_MAIL : originNames[row.origin_kind]),
    step: row.step,
    removedStep: row.removed_step,
    channel: row.channel,
    variant: variants.get(row.variant_id ?? forecast?.variantId ?? '') ?? null,
    forecast: forecast ? presentForecast(forecast) : null,
    state: row.state,
    reason: row.reason,
    explanation:
      explainByChannel(row.channel, row.reason, { last: own.at(-1) }) ??
      (explain(row.reason, row.channel, row.provider_response) || describeState(row.state)),
    dueAt: row.due_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    sentAt: row.sending_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    readAt: row.read_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    to: row.to_address,
    subject: row.subject,
    html: row.body_html && removePixel(row.body_html),
    response: row.provider_response,
    decisions: own.map((decision) => ({
      at: decision.at.toISOString(),
      outcome: decision.outcome,
      reason: decision.reason,
      explanation: explainDecision(decision, readChannel(decision) ?? row.channel),
      until: decision.until?.toISOString() ?? null,
      inputs: decision.inputs,
    })),
  }
}

const presentForecast = (forecast: MessageForecast): MessageView['forecast'] => ({
  channel: forecast.channel,
  isExpected: forecast.obstacle === null,
  explanation: explainForecast(forecast),
})

function explainDecision(decision: DecisionRow, channel: MessageView['channel']): string {
  const consent = explainConsent(decision)
  const byChannel = explainByChannel(channel, decision.reason, { last: decision, more: consent })
  if (byChannel) return byChannel
  return [explain(decision.reason, channel, readResponse(decision)), consent, explainSkippedChannels(decision)]
    .filter(Boolean)
    .join(' ')
}

const readResponse = ({ inputs }: DecisionRow) => (inputs as { response?: string | null }).response

/** Names for origins without a name of their own. */
const originNames = {
  flow: 'Flow',
  campaign: 'Campaign',
  manual: 'Manual',
  push: 'Push notifications',
} as const satisfies Record<OriginKind, string>

interface MessageRow {
  id: string
  origin_kind: OriginKind
  origin_id: string
  origin_name: string | null
  is_discount: boolean
  /** Current position of its step; for a removed step, the last one. */
  step: number
  removed_step: string | null
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  state: string
  reason: string | null
  due_at: Date
  expires_at: Date
  wake_at: Date
  step_id: string | null
  variant_id: string | null
  /** null: no cart. Messages of a merged cart keep that cart's id. */
  cart_id: string | null
  sending_at: Date | null
  delivered_at: Date | null
  read_at: Date | null
  finished_at: Date | null
  to_address: string | null
  subject: string | null
  body_html: string | null
  provider_response: string | null
}

function readDecisions({ db, storeId }: StoreDb, messageIds: readonly string[]) {
  if (messageIds.length === 0) return Promise.resolve([])
  return (
    db
      .selectFrom('decision_records')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('message_id', 'in', [...messageIds])
      .orderBy('at')
      // A result recorded in the same millisecond still follows its decision.
      .orderBy((eb) => eb('outcome', '=', 'result'))
      .orderBy('id')
      .execute()
  )
}

/** Data about a message beyond its row; without `forecast`, the forecast was not requested. */
interface MessageContext {
  variants: ReadonlyMap<string, string>
  forecasts?: ReadonlyMap<string, MessageForecast>
}
