// A cart's items as a table for HTML and as lines for text. Names and pictures come from a store and are hostile.
import { encode } from 'html-entities'
import { cleanText, type TemplateCoupon, type TemplateItem, webAddress } from './context.ts'

const SHOWN_ITEMS = 12

export interface CleanItem {
  name: string
  quantity: number
  unitPrice: string
  lineTotal: string
  imageUrl: string | null
  isGone: boolean
}

const SOLD_OUT = 'Sold out'

/** Pictures only over https or from the store itself: anything else tells a stranger who read the mail, or shows nothing. */
export function cleanItems(items: TemplateItem[], storeHosts: ReadonlySet<string>): CleanItem[] {
  return items.map((item) => ({
    name: cleanText(item.name, 120) || 'Item',
    quantity: Number.isFinite(item.quantity) ? item.quantity : 1,
    unitPrice: item.isGone ? SOLD_OUT : cleanText(item.unitPrice, 40),
    lineTotal: item.isGone ? SOLD_OUT : cleanText(item.lineTotal, 40),
    isGone: item.isGone === true,
    imageUrl: item.imageUrl === null ? null : imageAddress(item.imageUrl, storeHosts),
  }))
}

export function imageAddress(text: string, storeHosts: ReadonlySet<string>): string | null {
  const url = text.length <= 1_000 ? webAddress(text) : null
  if (!url) return null
  const { protocol, host } = new URL(url)
  return protocol === 'https:' || storeHosts.has(host) ? url : null
}

export const cleanCoupon = ({ code, amount, expires, saving, total }: TemplateCoupon): TemplateCoupon => ({
  code: cleanText(code, 200),
  amount: cleanText(amount, 40),
  expires: expires === null ? null : cleanText(expires, 60),
  saving: saving === null ? null : cleanText(saving, 40),
  total: total === null ? null : cleanText(total, 40),
})

const CELL = 'padding:12px 0;border-bottom:1px solid #e3e8ee;vertical-align:middle'

export function itemsHtml(items: CleanItem[], coupon: TemplateCoupon | null = null): string {
  if (items.length === 0) return ''
  const rows = items.slice(0, SHOWN_ITEMS).map(itemRow).join('')
  const more = items.length - SHOWN_ITEMS
  const last =
    more > 0 ? `<tr><td colspan="3" class="line muted" style="${CELL};color:#5b6673">${moreItems(more)}</td></tr>` : ''
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;margin:8px 0 20px;border-collapse:collapse">${rows}${last}${coupon ? couponRows(coupon) : ''}</table>`
}

function itemRow({ name, quantity, unitPrice, lineTotal, imageUrl, isGone }: CleanItem): string {
  // The name stands beside the picture, so the picture says nothing to a screen reader.
  const picture = imageUrl
    ? `<img class="thumb" src="${encode(imageUrl)}" alt="" width="44" height="44" style="display:block;width:44px;height:44px;object-fit:cover;border:0;border-radius:8px">`
    : `<div class="thumb blank" style="width:44px;height:44px;border-radius:8px;background-color:#edf1f5">&nbsp;</div>`
  return `<tr><td class="line" style="${CELL};width:1px">${picture}</td><td class="line" style="${CELL};padding-left:14px;padding-right:10px;word-break:break-word"><strong style="font-weight:600">${encode(name)}</strong><br><span class="muted" style="color:#5b6673;font-size:14px">${isGone ? SOLD_OUT : `${quantity} × ${encode(unitPrice)}`}</span></td><td class="line" align="right" style="${CELL};text-align:right;word-break:normal">${isGone ? '–' : encode(lineTotal)}</td></tr>`
}

/** Quiet: the code with what it saves, and what is left to pay for the goods. */
function couponRows({ code, expires, saving, total, amount }: TemplateCoupon): string {
  const until = expires
    ? `<br><span class="muted" style="color:#5b6673;font-size:14px">${encode(untilOf(expires))}</span>`
    : ''
  const row = (words: string, figure: string, weight = '') =>
    `<tr><td colspan="2" class="line" style="${CELL};padding-right:10px;word-break:break-word">${words}</td><td class="line" align="right" style="${CELL};text-align:right;word-break:normal;white-space:nowrap${weight}">${figure}</td></tr>`
  const named = `Coupon <strong style="font-weight:600">${encode(code)}</strong>${until}`
  const first = row(named, encode(saving === null ? amount : `−${saving}`))
  return total === null ? first : first + row(TOTAL, encode(total), ';font-weight:600')
}

const TOTAL = 'Total with the coupon'
const untilOf = (expires: string) => `Valid until ${expires}`

function couponText({ code, expires, saving, total, amount }: TemplateCoupon): string[] {
  const worth = saving === null ? amount : `−${saving}`
  const words = `Coupon ${code}${worth ? `: ${worth}` : ''}${expires ? ` (valid until ${expires})` : ''}`
  return ['', words, ...(total === null ? [] : [`${TOTAL}: ${total}`])]
}

export function itemsText(items: CleanItem[], coupon: TemplateCoupon | null = null): string {
  if (items.length === 0) return ''
  const lines = items.slice(0, SHOWN_ITEMS).map((item) => `- ${item.quantity} × ${item.name}: ${item.lineTotal}`)
  const more = items.length - SHOWN_ITEMS
  return [...lines, ...(more > 0 ? [moreItems(more)] : []), ...(coupon ? couponText(coupon) : [])].join('\n')
}

function moreItems(count: number): string {
  return count === 1 ? 'and 1 more item' : `and ${count} more items`
}
