// A rendering plan (decision 146): the common parts of all mails of one template version, shop and shape, with slots
// for the shopper's values. Filled, it equals the renderer's mail byte for byte. Pure.
import { encode } from 'html-entities'
import { cleanSubject, MAX_HTML_BYTES } from '../draft.ts'
import { renderItems } from '../items-html.ts'
import { findProblem, type RenderedMessage, renderPreview, renderTextPart, unsubscribeHeaders } from '../message.ts'
import { toShownCart, type Values } from '../values.ts'
import { computeDiscountedTotal } from './shape.ts'

/** Texts with slots between them: one text more than slots. */
export interface Pieces {
  texts: string[]
  /** Indexes in the plan's list of slots. */
  slots: number[]
}

/** Plain data, because it is made in a thread. Holds no shopper's data. */
export interface Plan {
  slots: Slot[]
  /** From the template, before it is shortened. */
  subject: Pieces
  /** The body before its tags are sanitized: its length without the values, and the slots in it. */
  body: { length: number; slots: number[] }
  plain: Pieces
  html: Pieces
  /** `url` is null for the checkout link; `tracked` is the number of the tracked address. */
  links: { url: string | null; tracked: number | null }[]
  leftOut: RenderedMessage['leftOut']
}

/** The value of a slot. `shown`: a part that is rendered from other parts when the mail is put together. */
export type Slot =
  | { of: 'value'; name: ValueName }
  | { of: 'item'; at: number; name: 'name' | 'quantity' | 'unitPrice' | 'lineTotal' }
  | { of: 'link'; name: LinkName }
  | { of: 'tracked'; at: number }
  | { of: 'shown'; name: 'subject' | 'preview' | 'items' }

export type ValueName = keyof typeof values
type LinkName = keyof typeof links

/** By the names of the template's variables. */
const values = {
  customer_name: ({ customerName }: Values) => customerName,
  cart_total: ({ cartTotal }: Values) => cartTotal,
  discounted_total: computeDiscountedTotal,
  coupon_code: ({ coupon }: Values) => coupon?.code ?? '',
  coupon_amount: ({ coupon }: Values) => coupon?.amount ?? '',
  coupon_offer: ({ coupon }: Values) => coupon?.offer ?? '',
  coupon_minimum: ({ coupon }: Values) => coupon?.minimum ?? '',
  coupon_expires: ({ coupon }: Values) => coupon?.expires ?? '',
}

const links = {
  checkout: ({ checkoutLink }: Values) => checkoutLink,
  unsubscribe: ({ footer }: Values) => footer.unsubscribeLink,
  preferences: ({ footer }: Values) => footer.preferencesLink ?? '',
  honeypot: ({ trackers }: Values) => trackers.honeypotLink ?? '',
  pixel: ({ trackers }: Values) => trackers.pixelUrl ?? '',
}

/** null: the plan does not fit this mail. `tracked`: the address of the n-th tracked link. */
export function fillPlan(plan: Plan, its: Values, tracked: (n: number) => string): RenderedMessage | null {
  const raw = plan.slots.map((slot) => readSlot(slot, its, tracked))
  if (!plan.slots.every((slot, at) => isPlain(slot, raw[at]!))) return null
  const inHtml = plan.slots.map((slot, at) => (isOfShopper(slot) ? encode(raw[at]!) : raw[at]!))
  const length = plan.body.slots.reduce((sum, at) => sum + inHtml[at]!.length, plan.body.length)
  const subject = cleanSubject(joinPieces(plan.subject, raw), its)
  if (!subject || length > MAX_HTML_BYTES) return null
  const plain = joinPieces(plan.plain, raw)
  const parts = { subject, html: renderHtml(plan, inHtml, { its, subject, plain }), text: renderTextPart(plain, its) }
  if (findProblem(parts)) return null
  return {
    ...parts,
    links: plan.links.map(({ url, tracked: n }) => ({
      url: url ?? its.checkoutLink,
      trackedUrl: n === null ? null : tracked(n),
    })),
    leftOut: plan.leftOut,
    headers: unsubscribeHeaders(its.footer.unsubscribeLink),
  }
}

function readSlot(slot: Slot, its: Values, tracked: (n: number) => string): string {
  if (slot.of === 'value') return values[slot.name](its)
  if (slot.of === 'item') return String(its.items[slot.at]![slot.name])
  if (slot.of === 'link') return links[slot.name](its)
  return slot.of === 'tracked' ? tracked(slot.at) : ''
}

const isOfShopper = ({ of }: Slot): boolean => of === 'value' || of === 'item'

/** Like our own links: the renderer escapes nothing in them and cuts nothing off their end. */
const PLAIN_LINK = /^https?:\/\/[\w.:-]+\/[\w./?=~-]*[\w-]$/

/** Whether the renderer leaves the value unchanged in any text: no address becomes a link, no spaces are merged. */
function isPlain(slot: Slot, raw: string): boolean {
  if (slot.of === 'shown') return true
  if (!isOfShopper(slot)) return PLAIN_LINK.test(raw)
  return !raw.includes('://') && !raw.includes('  ') && !/^\/|[:/]$/.test(raw)
}

function renderHtml(
  plan: Plan,
  filled: string[],
  { its, subject, plain }: { its: Values; subject: string; plain: string },
) {
  const { look } = its.brand
  const shown = {
    subject: () => escapeHtml(subject),
    preview: () => escapeHtml(renderPreview(plain)),
    items: () => renderItems(toShownCart(its), { look, link: its.checkoutLink }),
  }
  const withShown = plan.slots.map((slot, at) => (slot.of === 'shown' ? shown[slot.name]() : filled[at]!))
  return joinPieces(plan.html, withShown)
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

/** As Liquid escapes what the layout prints. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

function joinPieces({ texts, slots }: Pieces, values: readonly string[]): string {
  let out = texts[0]!
  for (const [at, slot] of slots.entries()) out += values[slot]! + texts[at + 1]!
  return out
}
