import type { CouponValue, Show, ValueName } from './mail-document.ts'

// What a document compiles to: literal text, with chunks for what differs from shopper to shopper. Plain data. Owners'
// words are literals and never parsed again.

export type Condition =
  | Exclude<Show, 'always'>
  | 'with_cart'
  | 'without_cart'
  | 'total_changed'
  | 'known:cart_total'
  | 'known:discounted_total'
  | 'has_preferences'

export type Chunk =
  /** A literal. */
  | string
  | { kind: 'value'; name: Exclude<ValueName, 'checkout_link'>; fallback?: string }
  | { kind: 'if'; when: Condition; chunks: Chunk[] }
  /** Left out if one of these values is empty. */
  | { kind: 'filled'; values: CouponValue[]; leadsToCart: boolean; chunks: Chunk[] }
  /** The target of a link: `cart`, `shop` or an address. `isLayout`: not one of the owner's links. */
  | { kind: 'link'; href: string; isLayout?: true }
  /** In the text part: the label, then the address unless that is the label. */
  | { kind: 'labelled_link'; label: string; href: string }
  | { kind: 'asset'; name: string }
  | ItemsChunk
  | { kind: 'product'; id: string; label: string; style: ItemsStyle | null }
  /** Rendered and sanitized outside, by the block's id. */
  | { kind: 'legacy_text'; id: string }
  /** The line on shipping and returns, printed at the first of its places that is reached. */
  | { kind: 'promise'; chunks: Chunk[] }
  /** A button to the cart, printed if the only link to it was left out. */
  | { kind: 'lost_link'; chunks: Chunk[] }
  | { kind: 'field'; name: 'subject' | 'preview' | 'sender' | 'unsubscribe_link' | 'preferences_link' | 'trackers' }

export interface ItemsOptions {
  layout: 'list' | 'large' | 'grid'
  part: 'all' | 'first' | 'rest'
  max: number
  hasPrices: boolean
  hasQuantities: boolean
  hasCoupon: boolean
}

/** `style` is null in the text part. */
export type ItemsChunk = { kind: 'items'; style: ItemsStyle | null } & ItemsOptions

export interface ItemsStyle {
  text: string
  muted: string
  line: string
  soft: string
  plate: string
  link: string
  radius: number
  weight: number
  /** Of the mail's content, in px. */
  width: number
  direction: 'ltr' | 'rtl'
}

export interface CompiledMail {
  /** The full tag. */
  language: string
  /** null: rendered outside. */
  subject: Chunk[] | null
  preview: Chunk[]
  /** The promise as a legacy text shows it below its own button; empty: there is none. */
  promise: { html: Chunk[]; text: Chunk[] }
  html: Chunk[]
  text: Chunk[]
  /** Of the text part. */
  footer: Chunk[]
}

/** Between the buttons and what follows them in a legacy text; the promise is printed at the first. */
export const PROMISE_MARK = '\ue008'

export type Part = string | number | Chunk | readonly Chunk[]

/** Joins literals and chunks; neighbouring literals become one. */
export function chunk(literals: TemplateStringsArray, ...parts: readonly Part[]): Chunk[] {
  const result: Chunk[] = []
  // Literals are collected, because adding them one by one to the last chunk is slower.
  let text = literals[0]!
  for (const [at, part] of parts.entries()) {
    if (typeof part === 'string' || typeof part === 'number') text += part
    else {
      for (const each of Array.isArray(part) ? (part as readonly Chunk[]) : [part as Chunk]) {
        if (typeof each === 'string') text += each
        else {
          if (text) result.push(text)
          result.push(each)
          text = ''
        }
      }
    }
    text += literals[at + 1]!
  }
  if (text) result.push(text)
  return result
}

export function joinChunks(lists: readonly (readonly Chunk[])[]): Chunk[] {
  const result: Chunk[] = []
  for (const list of lists) for (const each of list) append(result, each)
  return result
}

function append(result: Chunk[], next: Chunk): void {
  const last = result.length - 1
  if (typeof next !== 'string') result.push(next)
  else if (typeof result[last] === 'string') result[last] += next
  else if (next !== '') result.push(next)
}
