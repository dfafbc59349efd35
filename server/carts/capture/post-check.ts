import { CapturePost } from '../../../shared/carts/capture.ts'
import { readInput } from '../../access/http/public.ts'

// Parses the usual capture posts without the schema, because a busy shop sends thousands a second. `CapturePost`
// defines the format: the result must be the same. All other posts, and invalid ones, go to the schema. Pure.

/** Throws `invalid` with a sentence per field, like all other input. */
export function readCapturePost(value: unknown): CapturePost {
  return parseFast(value) ?? readInput(CapturePost, value)
}

type JsonObject = Record<string, unknown>
/** null: not a usual value. undefined: missing. */
type ParseResult<T> = T | undefined | null

const CART = /^[A-Za-z0-9_-]{16,64}$/
const BACK = /^[A-Za-z0-9_-]{43}$/
const PAGE = /^[A-Za-z0-9_-]{8,64}$/
const ID = /^\d{1,18}$/

/**
 * Returns null if the schema must decide. It parses all posts with consents: they are rare, so speed does not matter.
 */
export function parseFast(value: unknown): CapturePost | null {
  if (!isObject(value)) return null
  const { cart, back, device, page, seq, agreed, lang } = value
  if (!matches(cart, CART) || !matches(page, PAGE) || !isIntegerBetween(seq, 0, 100_000)) return null
  if (back !== undefined && !matches(back, BACK)) return null
  if (device !== undefined && !matches(device, CART)) return null
  if ((agreed !== undefined && agreed !== true) || value.ticked !== undefined) return null
  if (lang !== undefined && typeof lang !== 'string') return null
  const items = readItems(value.items)
  const coupons = readCoupons(value.coupons)
  const contact = readTexts(value.contact, CONTACT)
  const boxes = readTexts(value.boxes, BOXES)
  if (items === null || coupons === null || contact === null || boxes === null || value.consent !== undefined)
    return null
  const post: CapturePost = { cart, page, seq }
  if (back !== undefined) post.back = back
  if (device !== undefined) post.device = device
  if (agreed) post.agreed = true
  if (lang !== undefined) post.lang = lang
  if (items) post.items = items
  if (coupons) post.coupons = coupons
  if (contact) post.contact = contact
  if (boxes) post.boxes = boxes
  return post
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const matches = (value: unknown, form: RegExp): value is string => typeof value === 'string' && form.test(value)
const isIntegerBetween = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max

function readItems(value: unknown): ParseResult<NonNullable<CapturePost['items']>> {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length > 200) return null
  const items: NonNullable<CapturePost['items']> = []
  for (const line of value) {
    if (!isObject(line)) return null
    const { id, variation, quantity, choices } = line
    // Choices are rare, so the schema reads them.
    if (!matches(id, ID) || !isIntegerBetween(quantity, 1, 9_999) || choices !== undefined) return null
    if (variation !== undefined && !matches(variation, ID)) return null
    items.push(variation === undefined ? { id, quantity } : { id, variation, quantity })
  }
  return items
}

function readCoupons(value: unknown): ParseResult<string[]> {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || value.length > 20) return null
  return value.every((code) => typeof code === 'string' && code.length <= 60) ? value : null
}

// The schema counts characters, `length` counts UTF-16 units: what fits here also fits the schema.
const CONTACT = { email: 254, phone: 40, firstName: 80, lastName: 80, country: /^[ -~]{2}$/ }
const BOXES = { email: 40, sms: 40, whatsapp: 40 }

/** Optional texts by name, each with a maximum length or a pattern. */
function readTexts<Name extends string>(
  value: unknown,
  names: Record<Name, number | RegExp>,
): ParseResult<{ [N in Name]?: string }> {
  if (value === undefined) return undefined
  if (!isObject(value)) return null
  const texts: { [N in Name]?: string } = {}
  for (const name in names) {
    const text = value[name]
    const limit: number | RegExp = names[name]
    if (text === undefined) continue
    if (typeof text !== 'string' || !(typeof limit === 'number' ? text.length <= limit : limit.test(text))) return null
    texts[name] = text
  }
  return texts
}
