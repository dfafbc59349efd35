import {
  type Block,
  backgroundNames,
  couponValues,
  type Inline,
  mailLanguages,
  mailLimits,
  type Show,
  showNames,
  themeNames,
  type ValueName,
  valueNames,
} from '../../../shared/messages/mail-document.ts'

// The attributes of each block in the editor, with their first and allowed values. Pasted content and pressed keys pass
// through here, because the browser has no schemas. Pure.

export interface Field {
  initial: unknown
  isValid: (value: unknown) => boolean
}

export type BlockType = Block['type']

const oneOf = (values: readonly unknown[], initial: unknown = values[0]): Field => ({
  initial,
  isValid: (value) => values.includes(value),
})
const flag = (initial: boolean): Field => oneOf([true, false], initial)
const text = (max: number): Field => ({
  initial: '',
  isValid: (value) => typeof value === 'string' && value.length <= max,
})
const whole = (initial: number, max: number): Field => ({
  initial,
  isValid: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max,
})
const align = oneOf(['start', 'center'])
const href = (initial: string | null): Field => ({
  initial,
  isValid: (value) => (value === null && initial === null) || (typeof value === 'string' && isHref(value)),
})
const inlines: Field = {
  initial: [],
  isValid: (value) => Array.isArray(value) && cleanInlines(value).length === value.length,
}

export const show: Field = oneOf(showNames)
const ID = /^[a-z0-9]{4,12}$/
export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)
const id: Field = { initial: null, isValid: (value) => value === null || isId(value) }

/** The name of an uploaded picture. */
export const isAsset = (value: string): boolean => /^[0-9a-f]{16,64}\.(png|jpg|gif)$/.test(value)

const points: Field = {
  initial: [{ title: '', text: '' }],
  isValid: (value) => Array.isArray(value) && value.length >= 1 && value.length <= 3 && value.every(isPoint),
}

const isPoint = (value: unknown): boolean => {
  const { title, text: line, ...rest } = Object(value) as Record<string, unknown>
  return (
    typeof title === 'string' &&
    title.length <= 40 &&
    typeof line === 'string' &&
    line.length <= 120 &&
    Object.keys(rest).length === 0
  )
}

/** Without those that every block has. */
const ownFields: Readonly<Record<BlockType, Readonly<Record<string, Field>>>> = {
  heading: { level: oneOf([1, 2]), align },
  text: { size: oneOf(['body', 'lead', 'small', 'label']), align },
  image: {
    asset: { initial: '', isValid: (value) => typeof value === 'string' && (value === '' || isAsset(value)) },
    width: whole(600, 2_400),
    height: whole(400, 4_800),
    alt: text(250),
    isDecorative: flag(false),
    href: href(null),
  },
  items: {
    layout: oneOf(['list', 'large', 'grid'], 'large'),
    part: oneOf(['all', 'first', 'rest']),
    max: whole(8, mailLimits.items),
    hasPrices: flag(true),
    hasQuantities: flag(true),
    hasCoupon: flag(false),
  },
  totals: {
    label: text(mailLimits.label),
    amount: oneOf(['cart_total', 'discounted_total'], 'discounted_total'),
    hasBefore: flag(true),
  },
  coupon: { inlines, hasSaving: flag(true), hasExpiry: flag(true) },
  button: {
    label: text(mailLimits.label),
    href: href('cart'),
    isWide: flag(false),
    style: oneOf(['solid', 'outline']),
    align,
  },
  product: { productId: text(64), label: text(mailLimits.label) },
  trust: { points },
  divider: {},
  spacer: { size: oneOf([8, 16, 32, 48], 16) },
  social: { align },
  legacy_text: { source: text(mailLimits.legacyText) },
  columns: { split: oneOf(['1-1', '1-2', '2-1']) },
}

export const listFields = (type: BlockType): Readonly<Record<string, Field>> => ({ id, show, ...ownFields[type] })

export const bandFields = { id, background: oneOf(backgroundNames), show } as const
export const footerFields = { text: text(mailLimits.footerText), hasSocial: flag(true) } as const
export const mailFields = {
  theme: oneOf(themeNames),
  language: oneOf([null, ...mailLanguages]),
  subject: {
    initial: [],
    isValid: (value: unknown) => inlines.isValid(value) || isLegacySubject(value),
  },
  preview: inlines,
} as const

const isLegacySubject = (value: unknown): boolean => {
  const { kind, source } = Object(value) as { kind?: unknown; source?: unknown }
  return kind === 'legacy_text' && typeof source === 'string' && source.length <= 500
}

export const valueField: Record<string, Field> = {
  name: oneOf(valueNames),
  fallback: { initial: null, isValid: (value) => value === null || (typeof value === 'string' && value.length <= 80) },
}

/** Values of these fields; what is missing or not allowed gets the first value. */
export function cleanFields(fields: Readonly<Record<string, Field>>, raw: unknown): Record<string, unknown> {
  const given = Object(raw) as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fields).map(([name, { initial, isValid }]) => [
      name,
      Object.hasOwn(given, name) && isValid(given[name]) ? given[name] : initial,
    ]),
  )
}

const markNames = ['bold', 'italic', 'underline'] as const
export type MarkName = (typeof markNames)[number]

/** In a fixed order. */
export const sortMarks = (marks: readonly unknown[]): MarkName[] => markNames.filter((name) => marks.includes(name))

/** The allowed ones of these texts, values and breaks. */
export function cleanInlines(raw: readonly unknown[]): Inline[] {
  return raw.flatMap((each): Inline[] => {
    const run = Object(each) as Record<string, unknown>
    const marks = sortMarks(Array.isArray(run.marks) ? run.marks : [])
    if (run.kind === 'break') return [{ kind: 'break' }]
    if (run.kind === 'value' && valueField.name!.isValid(run.name)) {
      const fallback = typeof run.fallback === 'string' && run.fallback.length <= 80 ? run.fallback : undefined
      return [{ kind: 'value', name: run.name as ValueName, ...(fallback !== undefined && { fallback }), marks }]
    }
    if (run.kind !== 'text' || typeof run.text !== 'string' || run.text === '') return []
    const link = typeof run.href === 'string' && isHref(run.href) ? run.href : undefined
    return [
      { kind: 'text', text: run.text.slice(0, mailLimits.runLength), marks, ...(link !== undefined && { href: link }) },
    ]
  })
}

/** The same addresses as the schema: `cart`, `shop`, web and email addresses. */
export function isHref(value: string): boolean {
  if (value === 'cart' || value === 'shop') return true
  if (value.length > 2_000) return false
  if (/^mailto:[^\s@?#<>"']{1,64}@[^\s@?#<>"']{1,190}$/.test(value)) return true
  const url = URL.canParse(value) ? new URL(value) : null
  return url !== null && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
}

/** What a person types for an address: `shop.com` and `a@shop.com` count too. null: no address. */
export function readAddress(typed: string): string | null {
  const value = typed.trim()
  if (isHref(value)) return value
  if (!/[:/]/.test(value) && isHref(`mailto:${value}`)) return `mailto:${value}`
  const web = `https://${value}`
  return /^[^\s:/]+\.[^\s:/]{2,}/.test(value) && isHref(web) ? web : null
}

export const blockNames: Readonly<Record<BlockType, string>> = {
  heading: 'Heading',
  text: 'Text',
  image: 'Image',
  items: 'Cart items',
  totals: 'Total',
  coupon: 'Coupon',
  button: 'Button',
  product: 'Product',
  trust: 'Promises',
  divider: 'Line',
  spacer: 'Space',
  social: 'Social links',
  legacy_text: 'HTML',
  columns: 'Columns',
}

/** Values that a text may contain. `checkout_link` is a button and link of its own. */
export const valueLabels: Readonly<Record<ValueName, { label: string; hint: string }>> = {
  customer_name: { label: 'First name', hint: 'The shopper’s name' },
  cart_total: { label: 'Cart total', hint: 'Value of the cart' },
  discounted_total: { label: 'Total with coupon', hint: 'What remains after the coupon' },
  store_name: { label: 'Store name', hint: 'Name of your store' },
  checkout_link: { label: 'Link to the cart', hint: 'A link that restores the cart' },
  coupon_code: { label: 'Coupon code', hint: 'Empty without a coupon' },
  coupon_amount: { label: 'Coupon amount', hint: 'Such as 10%' },
  coupon_offer: { label: 'Coupon offer', hint: 'Such as 10% off' },
  coupon_minimum: { label: 'Coupon minimum', hint: 'Minimum spend' },
  coupon_expires: { label: 'Coupon expiry', hint: 'Last valid day' },
  coupon_saving: { label: 'Coupon saving', hint: 'Saving on this cart' },
}

const couponWords: Readonly<Record<(typeof couponValues)[number], string>> = {
  coupon_code: 'a code',
  coupon_amount: 'an amount',
  coupon_offer: 'an offer',
  coupon_minimum: 'a minimum spend',
  coupon_expires: 'an expiry',
  coupon_saving: 'a known saving',
}

/** When a block is shown, in plain English. */
export const showLabels: Readonly<Record<Show, string>> = {
  always: 'Always',
  with_coupon: 'Only with a coupon',
  without_coupon: 'Only without a coupon',
  several_items: 'Only with several items',
  total_unchanged: 'Only if the coupon does not change the total',
  ...(Object.fromEntries(
    couponValues.flatMap((name) => [
      [`has:${name}`, `Only if the coupon has ${couponWords[name]}`],
      [`lacks:${name}`, `Only without ${couponWords[name]} of the coupon`],
    ]),
  ) as Record<Exclude<Show, 'always' | `${'with' | 'without'}_coupon` | 'several_items' | 'total_unchanged'>, string>),
}
