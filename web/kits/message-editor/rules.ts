import { pushLimits } from '../../../shared/delivery/push.ts'
import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import { hasCartVariable } from '../../../shared/marketing/campaigns.ts'

// Variables and coupon use in the texts of a message. Pure.

/** The template variables of B 3, and those of the coupon. */
export const variables = [
  { name: 'customer_name', meaning: 'Shopper’s name' },
  { name: 'cart_items', meaning: 'Items in the cart, with pictures and prices' },
  { name: 'cart_total', meaning: 'Cart value' },
  { name: 'checkout_link', meaning: 'Link that restores the cart' },
  { name: 'store_name', meaning: 'Your store’s name' },
  { name: 'discounted_total', meaning: 'Cart value after the coupon; without one, the cart value' },
  { name: 'coupon_code', meaning: 'Coupon code; empty without a coupon' },
  { name: 'coupon_amount', meaning: 'Coupon discount, such as 10%; empty for free shipping' },
  { name: 'coupon_offer', meaning: 'Coupon as text: 10% off, free shipping or a discount' },
  { name: 'coupon_minimum', meaning: 'Coupon’s minimum spend; empty if there is none' },
  { name: 'coupon_expires', meaning: 'Coupon’s expiry; empty if there is none' },
] as const

/** Without cart variables if the message has no cart, and without the name in a notification. */
export const offeredVariables = (isWithoutCart: boolean, isNotification: boolean) =>
  variables.filter(({ name }) => !(isWithoutCart && hasCartVariable(name)) && !(isNotification && name === NAME))

const NAME = 'customer_name'

/** Warns about a notification whose text uses the name (decision 72). */
export const nameHint = ({ subject, body }: Words): string | null =>
  new RegExp(`\\b${NAME}\\b`).test(`${subject} ${body}`)
    ? `Notifications never contain the customer’s name: ${NAME} becomes “there”.`
    : null

/** Whether the messages have a coupon: all of them, those that meet the rules, or none. */
export type CouponUse = 'always' | 'maybe' | 'never'

/** Explains how headings and the button are written. */
export const mailHint = 'A line that begins with # is a heading. checkout_link on a line by itself is the button.'

/** Something with texts of the owner or of a template. */
export type WordChannel = SendChannel | 'push'

export interface Words {
  subject: string
  body: string
}

/** Replaces the selection, and returns the text with the new caret position. */
export function insertAt(text: string, piece: string, start: number, end: number) {
  return { text: text.slice(0, start) + piece + text.slice(end), caret: start + piece.length }
}

/** Coupon variables that are printed even without a coupon: outside `{% if coupon_… %}`, and without `default`. */
export function bareCouponVariables(text: string): string[] {
  const bare = new Set<string>()
  const guards: boolean[] = []
  for (const [piece] of text.matchAll(/\{\{[^{}]*\}\}|\{%[^{}]*%\}/g)) {
    const [, tag = ''] = /^\{%-?\s*(\w+)/.exec(piece) ?? []
    const names = piece.match(/\bcoupon_[a-z]+\b/g) ?? []
    if (tag === 'if' || tag === 'unless') guards.push(tag === 'if' && names.length > 0)
    else if (tag === 'elsif' || tag === 'else') guards.splice(-1, 1, names.length > 0)
    else if (tag === 'endif' || tag === 'endunless') guards.pop()
    else if (tag === '' && !guards.includes(true) && !/\|\s*default\b/.test(piece)) {
      for (const name of names) if (variables.some((known) => known.name === name)) bare.add(name)
    }
  }
  return [...bare]
}

/** Warns how the texts change without a coupon. `isText`: an SMS omits sentences. */
export function couponWarnings({ subject, body }: Words, coupon: CouponUse, isText: boolean): string[] {
  if (coupon === 'always') return []
  const [inSubject, inBody] = [bareCouponVariables(subject), bareCouponVariables(body)]
  const whose = coupon === 'never' ? 'These messages have no coupon' : 'A message may be sent without the coupon'
  const part = isText ? 'sentence' : 'paragraph'
  const lost = `every ${part} with ${inBody.join(' or ')} is left out of it.`
  return [
    ...(inBody.length > 0 ? [`${whose}: ${coupon === 'never' ? lost.replace('of it', 'of them') : lost}`] : []),
    ...(inSubject.length > 0
      ? [
          `${whose}: this subject has ${inSubject.join(' and ')}, so a default subject is used.`,
          `Put such text between {% if coupon_code %} and {% endif %}, or give it a default.`,
        ]
      : []),
  ]
}

/** Unknown variables in a text, except those that the text assigns. */
export function unknownVariables(text: string): string[] {
  if (/\{%-?\s*(assign|capture|for|tablerow|increment|decrement)\b/.test(text)) return []
  const named = [...text.matchAll(/\{\{-?\s*([a-z_]\w*)/gi)].map(([, name]) => name!)
  return [...new Set(named)].filter((name) => !variables.some((variable) => variable.name === name))
}

/** Shown while the user types; the server rejects it. */
export function unknownText(text: string, isListed: boolean): string | undefined {
  const unknown = unknownVariables(text)
  if (unknown.length === 0) return undefined
  return `There is no variable ${unknown.join(', ')}.${isListed ? ' Select one of those below.' : ''}`
}

/** Builds the request: WhatsApp uses an approved template, an SMS has no subject. null: a required text is missing. */
export function messageOf(channel: string, { subject, body }: Words): { subject?: string; body?: string } | null {
  if (channel === 'whatsapp') return {}
  if (body.trim() === '' || (channel !== 'sms' && subject.trim() === '')) return null
  return channel === 'sms' ? { body } : { subject, body }
}

export const NOTHING_YET = 'Write the message to see it here.'

/** Maximum number of characters of an SMS or notification. */
export const longestText = (channel: WordChannel): number => (channel === 'push' ? pushLimits.body : LONGEST_SMS)
export const LONGEST_SMS = 1_000
/** Delay after the last key before a preview is requested. */
export const TYPING_PAUSE_MS = 500
