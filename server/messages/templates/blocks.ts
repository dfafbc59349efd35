// Replaces the marks of a compiled template after cleaning: with tables in HTML, with lines in text. Pure.
import { encode } from 'html-entities'
import type { ShopTheme } from '../../../shared/messages/palette.ts'
import { BUTTON_MARKS, ITEMS_MARK, ROW_MARKS } from './compile.ts'
import type { TemplateCoupon } from './context.ts'
import { countHiddenItems, describeSaving, limitItems, type ShownCart, TOTAL } from './items.ts'
import { renderItems } from './items-html.ts'

const [ROW, AMOUNT, ROW_END] = ROW_MARKS
const [BUTTON, BUTTON_END] = BUTTON_MARKS
const ROWS = new RegExp(`${ROW}([^${ROW}-${ROW_END}]*)${AMOUNT}([^${ROW}-${ROW_END}]*)${ROW_END}`, 'g')
const NEIGHBOURS = new RegExp(`${ROW_END}\\s+${ROW}`, 'g')
/** In text, a link's label is followed by its address. */
const BUTTONS = new RegExp(
  `${BUTTON}([^${BUTTON}${BUTTON_END}]*) (https?:[^ ${BUTTON}${BUTTON_END}]+)${BUTTON_END}`,
  'g',
)

const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'

/** `isLast`: the mail has no button to put it under. */
export interface Blocks {
  cart: ShownCart
  look: ShopTheme
  link: string
  /** The owner's line below the button; '' for none. */
  promise: string
}

export function blocksHtml(content: string, { cart, look, link, promise }: Blocks): string {
  const promiseHtml = promise ? promiseToHtml(promise, look) : ''
  const [before, ...after] = content.split(BUTTON)
  const withButtons = after.map((part, at) => {
    const [button, ...rest] = part.split(BUTTON_END)
    const promised = at === 0 ? promiseHtml : ''
    return `${buttonHtml(button!, look, promised ? 12 : 24)}${promised}${rest.join('')}`
  })
  return [before, ...withButtons, after.length === 0 ? promiseHtml : '']
    .join('')
    .replace(ROWS, (_, label: string, amount: string) => (amount ? rowHtml(label, amount, look) : ''))
    .replaceAll(ITEMS_MARK, () => renderItems(cart, { look, link }))
}

/** The cell has the colour too, because some mail programs do not colour a link. */
function buttonHtml(link: string, { light, radius }: ShopTheme, below: number): string {
  return `<table ${TABLE} width="100%" style="width:100%"><tr><td style="padding:20px 0 ${below}px"><table ${TABLE} class="cta" width="100%" style="width:100%;border-collapse:separate"><tr><td class="cell" align="center" bgcolor="${light.button}" style="border-radius:${radius}px;background-color:${light.button};mso-padding-alt:16px 32px">${link}</td></tr></table></td></tr></table>`
}

function rowHtml(label: string, amount: string, { light }: ShopTheme): string {
  const cell = `padding:16px 0;border-top:1px solid ${light.line};font-size:18px;line-height:1.4;font-weight:700`
  return `<table ${TABLE} class="row" width="100%" style="width:100%;margin:0;border-collapse:separate"><tr><td class="line" style="${cell};padding-right:12px">${label}</td><td class="line" align="right" style="${cell};text-align:right;word-break:normal">${amount}</td></tr></table>`
}

const promiseToHtml = (promise: string, { light }: ShopTheme): string =>
  `<p class="muted" style="margin:0 0 24px;font-size:14px;line-height:1.5;color:${light.muted}">${encode(promise)}</p>`

export function blocksText(plain: string, { cart, promise }: Pick<Blocks, 'cart' | 'promise'>): string {
  let isPromiseWritten = promise === ''
  const text = plain
    .replace(BUTTONS, (_, label: string, url: string) => {
      const promiseText = isPromiseWritten ? '' : `\n\n${promise}`
      isPromiseWritten = true
      return `\n\n${label.trim()}:\n${url.trim()}${promiseText}\n\n`
    })
    .replace(NEIGHBOURS, ROW_END + ROW)
    .replace(ROWS, (_, label: string, amount: string) => (amount ? `\n${label.trim()}: ${amount}` : ''))
    .replaceAll(ITEMS_MARK, () => `\n\n${itemsText(cart, plain)}\n\n`)
  return isPromiseWritten ? text : `${text}\n\n${promise}`
}

/** For the preview line. */
export const removeBlocks = (plain: string): string =>
  plain.replace(BUTTONS, '').replace(ROWS, '').replaceAll(ITEMS_MARK, '')

/** `words`: the surrounding text, which may already contain the code. */
function itemsText({ items, coupon }: ShownCart, promiseText: string): string {
  if (items.length === 0) return coupon && !promiseText.includes(coupon.code) ? couponLine(coupon) : ''
  const lines = limitItems(items).map(
    (item) => `- ${item.quantity} × ${item.name}${item.lineTotal && `: ${item.lineTotal}`}`,
  )
  const more = countHiddenItems(items)
  return [...lines, ...(more ? [more] : []), ...(coupon ? couponText(coupon) : [])].join('\n')
}

function couponText(coupon: TemplateCoupon): string[] {
  return ['', couponLine(coupon), ...(coupon.total === null ? [] : [`${TOTAL}: ${coupon.total}`])]
}

function couponLine(coupon: TemplateCoupon): string {
  const worth = describeSaving(coupon)
  return `Coupon ${coupon.code}${worth && `: ${worth}`}${coupon.expires ? ` (valid until ${coupon.expires})` : ''}`
}
