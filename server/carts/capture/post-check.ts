import { CapturePost } from '../../../shared/capture.ts'
import { readInput } from '../../access/http/input.ts'

// A post of the capture script, checked by hand: what a busy shop sends thousands of a second. `CapturePost` decides what may be in one. What
// is written here takes the usual ones for what the schema makes of them; all others, and what is refused, are left to the schema. Pure.

/** Throws `invalid` with a sentence for each field, as every other input does. */
export function readCapturePost(said: unknown): CapturePost {
  return readUsual(said) ?? readInput(CapturePost, said)
}

type Said = Record<string, unknown>
/** null: not one of the usual ones. undefined: not there. */
type Read<T> = T | undefined | null

const CART = /^[A-Za-z0-9_-]{16,64}$/
const BACK = /^[A-Za-z0-9_-]{43}$/
const PAGE = /^[A-Za-z0-9_-]{8,64}$/
const ID = /^\d{1,18}$/

/** null: the schema has to say. Consents are left to it: they are rare, and count at once. */
export function readUsual(said: unknown): CapturePost | null {
  if (!isObject(said)) return null
  const { cart, back, device, page, seq, agreed } = said
  if (!fits(cart, CART) || !fits(page, PAGE) || !isWhole(seq, 0, 100_000)) return null
  if (back !== undefined && !fits(back, BACK)) return null
  if (device !== undefined && !fits(device, CART)) return null
  if ((agreed !== undefined && agreed !== true) || said.ticked !== undefined) return null
  const items = readItems(said.items)
  const coupons = readCoupons(said.coupons)
  const contact = readTexts(said.contact, CONTACT)
  const boxes = readTexts(said.boxes, BOXES)
  if (items === null || coupons === null || contact === null || boxes === null || said.consent !== undefined)
    return null
  const post: CapturePost = { cart, page, seq }
  if (back !== undefined) post.back = back
  if (device !== undefined) post.device = device
  if (agreed) post.agreed = true
  if (items) post.items = items
  if (coupons) post.coupons = coupons
  if (contact) post.contact = contact
  if (boxes) post.boxes = boxes
  return post
}

const isObject = (said: unknown): said is Said => typeof said === 'object' && said !== null && !Array.isArray(said)
const fits = (said: unknown, form: RegExp): said is string => typeof said === 'string' && form.test(said)
const isWhole = (said: unknown, least: number, most: number): said is number =>
  typeof said === 'number' && Number.isInteger(said) && said >= least && said <= most

function readItems(said: unknown): Read<NonNullable<CapturePost['items']>> {
  if (said === undefined) return undefined
  if (!Array.isArray(said) || said.length > 200) return null
  const items: NonNullable<CapturePost['items']> = []
  for (const line of said) {
    if (!isObject(line)) return null
    const { id, variation, quantity, choices } = line
    // What shoppers have chosen is rare.
    if (!fits(id, ID) || !isWhole(quantity, 1, 9_999) || choices !== undefined) return null
    if (variation !== undefined && !fits(variation, ID)) return null
    items.push(variation === undefined ? { id, quantity } : { id, variation, quantity })
  }
  return items
}

function readCoupons(said: unknown): Read<string[]> {
  if (said === undefined) return undefined
  if (!Array.isArray(said) || said.length > 20) return null
  return said.every((code) => typeof code === 'string' && code.length <= 60) ? said : null
}

// The schema counts characters, these the halves of rare ones too: what is within them here is within them there.
const CONTACT = { email: 254, phone: 40, firstName: 80, lastName: 80, country: /^[ -~]{2}$/ }
const BOXES = { email: 40, sms: 40, whatsapp: 40 }

/** Texts by their name, none of which has to be there; each with its greatest length or its form. */
function readTexts<Name extends string>(
  said: unknown,
  names: Record<Name, number | RegExp>,
): Read<{ [N in Name]?: string }> {
  if (said === undefined) return undefined
  if (!isObject(said)) return null
  const texts: { [N in Name]?: string } = {}
  for (const name in names) {
    const text = said[name]
    const may: number | RegExp = names[name]
    if (text === undefined) continue
    if (typeof text !== 'string' || !(typeof may === 'number' ? text.length <= may : may.test(text))) return null
    texts[name] = text
  }
  return texts
}
