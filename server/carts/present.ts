import type { CartItem, CartState, CartView, MessageView, TimelineEntry } from '../../shared/carts.ts'
import { currencyExponent } from '../../shared/money.ts'
import { explain } from '../../shared/reasons.ts'
import { visitReason } from '../../shared/visits.ts'
import { channelTraits } from '../channels/traits.ts'
import type { TextView } from '../messages/by-hand.ts'
import { consentWords } from '../shoppers/consent-words.ts'
import { withoutPixel } from '../visits/probes.ts'
import type { groupedVisits } from '../visits/sql.ts'
import type * as list from './list-sql.ts'

// The one translation from rows to the wire (B 3, decision 11, decision 21).

/** Minor units as the specification's decimal number. */
export const decimal = (minor: number, currency: string): number => minor / 10 ** currencyExponent(currency)

export function presentItems(items: readonly CartItem[], currency: string): CartView['items'] {
  return items.map((item) => ({
    product_id: item.variationId ?? item.productId,
    product_name: item.name,
    price: decimal(item.unitPriceMinor, currency),
    quantity: item.quantity,
    image_url: item.imageUrl,
  }))
}

/** `texts`: what became of its SMS and WhatsApp messages, by `channel:cart`. */
export function presentCart(row: list.ListedCart, texts: ReadonlyMap<string, TextView> = new Map()): CartView {
  const [sms, whatsapp] = [texts.get(`sms:${row.id}`), texts.get(`whatsapp:${row.id}`)]
  return {
    cart_id: row.id,
    id: row.id,
    customer_name: row.customer_name,
    customer_email: row.email,
    customer_data: { first_name: row.first_name, last_name: row.last_name, phone: row.phone, whatsapp: row.phone },
    phone: row.phone,
    items: presentItems(row.items, row.currency),
    total: decimal(row.value_minor, row.currency),
    currency: row.currency,
    timestamp: Math.floor(row.last_activity_at.getTime() / 1000),
    last_activity: row.last_activity_at.toISOString(),
    abandoned_at: row.abandoned_at?.toISOString() ?? null,
    status: row.badge,
    state: row.status,
    sms_status: sms?.status ?? null,
    sms_sent_at: sms?.at?.toISOString() ?? null,
    whatsapp_status: whatsapp?.status ?? null,
    whatsapp_sent_at: whatsapp?.at?.toISOString() ?? null,
    whatsapp_read_at: whatsapp?.readAt?.toISOString() ?? null,
  }
}

type DecisionRow = Awaited<ReturnType<typeof list.decisionsOf>>[number]

export function presentMessage(row: list.MessageRow, decisions: readonly DecisionRow[]): MessageView {
  return {
    id: row.id,
    origin: row.origin,
    originName: row.origin_name ?? originWords(row.origin),
    step: row.step,
    channel: row.channel,
    state: row.state,
    reason: row.reason,
    explanation: explain(row.reason, row.channel, row.provider_response) || stateWords(row),
    dueAt: row.due_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    handedOverAt: row.handed_over_at?.toISOString() ?? null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    readAt: row.read_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    to: row.to_address,
    subject: row.subject,
    html: row.body_html && withoutPixel(row.body_html),
    response: row.provider_response,
    decisions: decisions
      .filter((decision) => decision.message_id === row.id)
      .map((decision) => ({
        at: decision.at.toISOString(),
        outcome: decision.outcome,
        reason: decision.reason,
        explanation: [explain(decision.reason, row.channel, responseOf(decision)), consentWords(decision)]
          .filter(Boolean)
          .join(' '),
        until: decision.until?.toISOString() ?? null,
        inputs: decision.inputs,
      })),
  }
}

const responseOf = ({ inputs }: DecisionRow) => (inputs as { response?: string | null }).response

const originWords = (origin: string): string => (origin.startsWith('manual:') ? 'By hand' : origin.split(':')[0]!)

function stateWords({ state, channel }: list.MessageRow): string {
  const { provider } = channelTraits[channel]
  const words: Record<string, string> = {
    scheduled: 'It waits for its time and is checked again at the moment of sending.',
    claimed: 'It is being checked right now.',
    handed_over: `It is on its way to the ${provider}.`,
    sent: `The ${provider} accepted the message.`,
    delivered: 'The message was delivered.',
  }
  return words[state] ?? ''
}

type Events = Awaited<ReturnType<typeof list.eventsOf>>
type Touches = Awaited<ReturnType<typeof list.touchesOf>>
type Visits = Awaited<ReturnType<typeof groupedVisits>>

interface Happened {
  state: CartState
  events: Events
  messages: readonly MessageView[]
  touches: Touches
  visits: Visits
}

/**
 * Everything that happened to a cart, oldest first, in words. A checkout empties the cart a moment before its order is
 * known: once the cart is bought, that moment tells nothing and is left out.
 */
export function presentTimeline({ state, events, messages, touches, visits }: Happened): TimelineEntry[] {
  const isBought = state === 'recovered' || state === 'purchased'
  const entries: TimelineEntry[] = [
    ...events
      .filter((event) => !(isBought && event.kind === 'emptied'))
      .map((event) => ({ at: event.at.toISOString(), kind: event.kind, messageId: null, ...eventWords(event) })),
    ...messages.flatMap((message) => messageEntries(message, isBought)),
    ...touches.map(touchEntry),
    ...visits.map(visitEntry),
  ]
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function touchEntry({ at, kind, message_id, is_human, class_reason }: Touches[number]): TimelineEntry {
  const { who, why } = visitReason(class_reason)
  const entry = { at: at.toISOString(), kind, messageId: message_id }
  if (!is_human) return { ...entry, title: `Link clicked (by a machine: ${who})`, text: `${why} Not counted.`.trim() }
  return {
    ...entry,
    title: kind === 'restore' ? 'Cart restored' : 'Link clicked',
    text: 'A person used the link. A purchase in the attribution window counts for this message.',
  }
}

/** What nothing rests on, and is told as what was reported (decision 22). Alike ones stand together. */
function visitEntry({ at, kind, message_id, class: by, class_reason, count }: Visits[number]): TimelineEntry {
  const { who, why } = visitReason(class_reason)
  const isHuman = by === 'human'
  const titles = {
    open: 'Message opened',
    way_out: 'Unsubscribe page looked at',
    trap: 'Hidden link followed',
    click: '',
  }
  const times = count > 1 ? ` ${count} times in all.` : ''
  const note = isHuman && kind === 'open' ? ' Reported by the mail program; nothing is decided by it.' : ''
  return {
    at: at.toISOString(),
    kind: `visit_${kind}`,
    messageId: message_id,
    title: `${titles[kind]}${isHuman ? (kind === 'open' ? ' (reported)' : '') : ` (by a machine: ${who})`}`,
    text: `${why}${times}${note}`.trim(),
  }
}

type Decided = MessageView['decisions'][number]

function messageEntries(message: MessageView, isBought: boolean): TimelineEntry[] {
  const { word, provider } = channelTraits[message.channel]
  const isByHand = message.origin.startsWith('manual:')
  const name = isByHand ? `${capital(word)} by hand` : `${message.originName}, step ${message.step}`
  const told = message.decisions.filter(
    ({ outcome, reason }) => !(isBought && outcome === 'cancel' && reason === 'emptied'),
  )
  return told.map((decision) => ({
    at: decision.at,
    kind: `message_${decision.outcome}`,
    messageId: message.id,
    title: `${name}: ${decision.outcome === 'result' ? resultTitle(decision.reason, provider) : decisionTitle(decision.outcome, provider)}`,
    text: decision.explanation,
  }))
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** What became of it, as the provider answered at once or reported later. */
function resultTitle(reason: string, provider: string): string {
  const titles: Record<string, string> = {
    accepted: `accepted by the ${provider}`,
    rejected: `refused by the ${provider}`,
    retry: 'not accepted for now',
    unknown: 'no answer',
    bounced: 'came back',
    'bounced:soft': 'not delivered for now',
    complaint: 'reported as spam',
    delivered: 'delivered',
    undelivered: 'not delivered',
  }
  return titles[reason] ?? titles[reason.split(':')[0]!] ?? `answer of the ${provider}`
}

/** Whether a message that was handed over is sent is what its result says. */
function decisionTitle(outcome: Exclude<Decided['outcome'], 'result'>, provider: string): string {
  const titles = { send: `handed to the ${provider}`, hold: 'waiting', skip: 'not sent', cancel: 'cancelled' }
  return titles[outcome]
}

function eventWords(event: Events[number]): { title: string; text: string } {
  const order = typeof event.detail.orderId === 'string' ? ` Order ${event.detail.orderId}.` : ''
  const [title, text] = eventTexts[event.kind] ?? [event.kind, '']
  const correction = event.detail.before ? ' What became known later corrected this.' : ''
  return { title, text: `${text}${order}${correction}`.trim() }
}

const eventTexts: Record<string, [string, string]> = {
  active: ['Shopping', 'The shopper put something in the cart or changed it.'],
  abandoned: ['Cart abandoned', 'The shopper has been quiet for the time set for the store.'],
  recovered: ['Recovered', 'The shopper bought after using a link of ours.'],
  purchased: ['Purchased', 'The shopper bought without using a link of ours.'],
  emptied: ['Cart emptied', 'The shopper emptied the cart.'],
  lost: ['Given up', 'Nothing more is planned for this cart. A later purchase still counts.'],
  merged: ['Carts joined', 'Another cart of the same shopper was joined with this one.'],
}
