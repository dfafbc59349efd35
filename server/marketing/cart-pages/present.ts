import {
  type CartItem,
  type CartPath,
  type CartState,
  type CartView,
  getMessageName,
  type MessageView,
  type TimelineEntry,
} from '../../../shared/carts/carts.ts'
import { toCapitals } from '../../../shared/carts/coupons.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import { explainEngagement } from '../../../shared/delivery/engagement.ts'

import { restoreTexts } from '../../../shared/delivery/restore.ts'
import type * as list from '../../carts/carts/public.ts'

import type { groupedEngagementEvents } from '../../delivery/engagement/public.ts'
import type { Restorable, RestoredItem, RestoreResult } from '../../delivery/restore/public.ts'
import { channelTraits } from '../../messages/channels/public.ts'

import type { TextView } from '../manual-sends/public.ts'
import type { readEvents, readTouches } from './page-sql.ts'

// Converts cart rows to the API (B 3, decision 11, decision 21).

/** Minor units to the decimal number of the specification. */
export const toDecimal = (minor: number, currency: string): number => minor / 10 ** getCurrencyExponent(currency)

export function presentItems(items: readonly CartItem[], currency: string): CartView['items'] {
  return items.map((item) => ({
    product_id: item.variationId ?? item.productId,
    product_name: item.name,
    price: toDecimal(item.unitPriceMinor, currency),
    quantity: item.quantity,
    image_url: item.imageUrl,
  }))
}

const compareWithStore = (
  { quantity, unitPriceMinor }: Pick<RestoredItem, 'quantity' | 'unitPriceMinor'>,
  currency: string,
) => ({
  quantity,
  price: toDecimal(unitPriceMinor, currency),
})

/** The cart as abandoned, and what of it is still available. */
export const presentRestorable = ({ items, currency }: Restorable) =>
  items.map((item) => ({
    ...presentItems([{ ...item, ...item.before }], currency)[0]!,
    outcome: item.outcome,
    now: compareWithStore(item, currency),
    url: item.permalink,
  }))

export const presentOffered = ({ code, savingMinor }: NonNullable<Restorable['coupon']>, currency: string) => ({
  code,
  saving: savingMinor === null ? null : toDecimal(savingMinor, currency),
})

export const presentRestored = ({ items, currency, ...restored }: RestoreResult) => ({
  message: restored.isOrdered ? restoreTexts.ordered : restoreTexts.restored,
  ...restored,
  items: items.map((item) => ({
    product_id: item.variationId ?? item.productId,
    product_name: item.name,
    ...compareWithStore(item, currency),
    outcome: item.outcome,
    before: compareWithStore(item.before, currency),
    url: item.permalink,
  })),
})

interface MessageViews {
  /** States of SMS and WhatsApp messages, by `channel:cart`. */
  texts: ReadonlyMap<string, TextView>
  /** Carts whose newest email went to the mailbox on this server. */
  inMailbox: ReadonlySet<string>
}

const noViews: MessageViews = { texts: new Map(), inMailbox: new Set() }

export function presentCart(row: list.ListedCart, { texts, inMailbox } = noViews, path?: CartPath): CartView {
  const [sms, whatsapp] = [texts.get(`sms:${row.id}`), texts.get(`whatsapp:${row.id}`)]
  // Not every phone has WhatsApp; only a delivered message proves it.
  const isKnown = whatsapp !== undefined && (whatsapp.status === 'delivered' || whatsapp.readAt !== null)
  return {
    cart_id: row.id,
    id: row.id,
    customer_name: row.customer_name,
    customer_email: row.email,
    customer_data: {
      first_name: removeErased(row.first_name),
      last_name: removeErased(row.last_name),
      phone: row.phone,
      whatsapp: isKnown ? row.phone : null,
    },
    phone: row.phone,
    customer_id: row.customer_id,
    items: presentItems(row.items, row.currency),
    total: toDecimal(row.value_minor, row.currency),
    currency: row.currency,
    timestamp: Math.floor(row.last_activity_at.getTime() / 1000),
    last_activity: row.last_activity_at.toISOString(),
    abandoned_at: row.abandoned_at?.toISOString() ?? null,
    status: row.badge,
    state: row.status,
    ...(row.is_void && { is_void: true as const }),
    is_in_mailbox: inMailbox.has(row.id),
    sms_status: sms?.status ?? null,
    sms_sent_at: sms?.at?.toISOString() ?? null,
    whatsapp_status: whatsapp?.status ?? null,
    whatsapp_sent_at: whatsapp?.at?.toISOString() ?? null,
    coupons: row.coupons.map(toCapitals),
    unconfirmed: { email: removeErased(row.unconfirmed_email), phone: removeErased(row.unconfirmed_phone) },
    whatsapp_read_at: whatsapp?.readAt?.toISOString() ?? null,
    ...(path && { path }),
  }
}

/** Hides the placeholder of an erased contact. */
const removeErased = (text: string | null) => (text?.startsWith('erased:') ? null : text)

type Events = Awaited<ReturnType<typeof readEvents>>
type Touches = Awaited<ReturnType<typeof readTouches>>
type EngagementEvents = Awaited<ReturnType<typeof groupedEngagementEvents>>

interface TimelineInput {
  state: CartState
  events: Events
  messages: readonly MessageView[]
  touches: Touches
  engagement: EngagementEvents
  joined: readonly JoinedCart[]
}

/** A cart that was merged into this one. */
export interface JoinedCart {
  id: string
  /** Number of cancelled messages that were planned for it. */
  cancelled: number
  /** The two flows if they differ; this cart stays in `own`. null: they are the same. */
  flows: { other: string; own: { name: string; isOn: boolean } } | null
}

/**
 * The timeline of a cart as text, oldest first. A checkout empties the cart shortly before its order is known, so for a
 * purchased cart that event is left out.
 */
export function presentTimeline({
  state,
  events,
  messages,
  touches,
  engagement,
  joined,
}: TimelineInput): TimelineEntry[] {
  const isBought = state === 'recovered' || state === 'purchased'
  // A coupon use appears once, with its code, its order and its attribution.
  const usedAt = (touch: Touches[number]) =>
    touch.kind === 'coupon' ? events.find(({ kind, at }) => kind === 'coupon_used' && +at === +touch.at) : undefined
  const couponUses = new Set(touches.map(usedAt))
  const entries: TimelineEntry[] = [
    ...events
      .filter((event) => !(isBought && event.kind === 'emptied') && !couponUses.has(event))
      .map((event) => ({ at: event.at.toISOString(), kind: event.kind, messageId: null, ...eventText(event, joined) })),
    ...messages.flatMap((message) => messageEntries(message, isBought)),
    ...touches.map((touch) => touchEntry(touch, usedAt(touch))),
    ...engagement.map(engagementEntry),
  ]
  return entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function touchEntry(
  { at, kind, message_id, is_human, class_reason }: Touches[number],
  use: Events[number] | undefined,
): TimelineEntry {
  const { who, why } = explainEngagement(class_reason)
  const entry = { at: at.toISOString(), kind, messageId: message_id }
  if (!is_human) return { ...entry, title: `Link clicked (by a machine: ${who})`, text: `${why} Not counted.`.trim() }
  const counts = 'A purchase within the attribution window is attributed to this message.'
  if (kind === 'coupon') {
    const text = use ? eventText(use).text : 'A person ordered with the message’s coupon.'
    return { ...entry, title: 'Coupon used', text: `${text} ${counts}` }
  }
  if (kind === 'restore') return { ...entry, title: 'Cart restored', text: `A person restored the cart. ${counts}` }
  return { ...entry, title: 'Link clicked', text: `A person clicked the link. ${counts}` }
}

/** Reported engagement, which affects nothing (decision 22). Equal events are grouped. */
function engagementEntry({
  at,
  kind,
  message_id,
  class: by,
  class_reason,
  count,
}: EngagementEvents[number]): TimelineEntry {
  const { who, why } = explainEngagement(class_reason)
  const isHuman = by === 'human'
  const titles = {
    open: 'Message opened',
    unsubscribe_link: 'Unsubscribe page viewed',
    honeypot: 'Hidden link followed',
    click: '',
  }
  const times = count > 1 ? ` ${count} times in total.` : ''
  const note = isHuman && kind === 'open' ? ' Reported by the email app. It has no effect on sending.' : ''
  return {
    at: at.toISOString(),
    kind: `visit_${kind}`,
    messageId: message_id,
    title: `${titles[kind]}${isHuman ? (kind === 'open' ? ' (reported)' : '') : ` (by a machine: ${who})`}`,
    text: `${why}${times}${note}`.trim(),
  }
}

function messageEntries(message: MessageView, isBought: boolean): TimelineEntry[] {
  const { provider } = channelTraits[message.channel]
  const name = getMessageName(message)
  const decisions = message.decisions.filter(
    ({ outcome, reason }) => !(isBought && outcome === 'cancel' && reason === 'emptied'),
  )
  return decisions.map((decision) => ({
    at: decision.at,
    kind: `message_${decision.outcome}`,
    messageId: message.id,
    title: `${name}: ${decision.outcome === 'result' ? resultTitle(decision.reason, provider) : decisionTitles[decision.outcome]}`,
    text: decision.explanation,
  }))
}

/** The result, as the provider answered at once or reported later. */
function resultTitle(reason: string, provider: string): string {
  const titles: Record<string, string> = {
    accepted: 'sent',
    rejected: `refused by the ${provider}`,
    retry: 'temporarily refused',
    unknown: 'no answer',
    bounced: 'bounced',
    'bounced:soft': 'delivery delayed',
    complaint: 'reported as spam',
    opt_out: 'unsubscribed',
    delivered: 'delivered',
    undelivered: 'not delivered',
  }
  return titles[reason] ?? titles[reason.split(':')[0]!] ?? `answer of the ${provider}`
}

/** `result` is excluded, because it already shows whether the provider accepted the message. */
const decisionTitles = { send: 'checks passed', hold: 'waiting', skip: 'not sent', cancel: 'cancelled' }

function eventText(event: Events[number], joined: readonly JoinedCart[] = []): { title: string; text: string } {
  const order = typeof event.detail.orderId === 'string' ? ` Order ${event.detail.orderId}.` : ''
  const code = typeof event.detail.code === 'string' ? event.detail.code : ''
  const [title, sentence] = eventTexts[event.kind] ?? [event.kind, '']
  const other = event.kind === 'merged' ? joined.find(({ id }) => id === event.detail.cart) : undefined
  const text = `${sentence.replace('{code}', code)}${other ? joinedText(other) : ''}`
  const correction = event.detail.before ? ' Corrected by later information.' : ''
  return { title, text: `${text}${order}${correction}`.trim() }
}

/** What happened to the messages of the merged cart, and which flow continues. */
function joinedText({ cancelled, flows }: JoinedCart): string {
  const planned = cancelled === 1 ? 'One message scheduled for it was' : `${cancelled} messages scheduled for it were`
  const cancelledText = cancelled === 0 ? '' : ` ${planned} cancelled.`
  if (!flows) return cancelledText
  const { other, own } = flows
  const off = own.isOn ? '' : ', which is switched off'
  return `${cancelledText} It belonged to the flow “${other}”; this cart stays in its own, “${own.name}”${off}.`
}

const eventTexts: Record<string, [string, string]> = {
  active: ['Shopping', 'The shopper added something to the cart or changed it.'],
  abandoned: ['Cart abandoned', 'The shopper has been inactive for the time set for this store.'],
  recovered: ['Recovered', 'The shopper bought after using a link in one of your messages.'],
  purchased: ['Purchased', 'The shopper bought without using a link in your messages.'],
  emptied: [
    'Cart emptied',
    'The cart was emptied in the shop. If the shopper ordered, the order appears after the next sync.',
  ],
  lost: ['Lost', 'No more messages are scheduled for this cart. A later purchase still counts.'],
  coupon_made: ['Coupon code created', 'The code {code} was created in the store for one message to this shopper.'],
  coupon_used: ['Coupon used', 'The code {code} was used in an order.'],
  merged: ['Merged with another cart', 'Another cart of the same shopper was merged into this one.'],
}
