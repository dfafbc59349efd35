// A cart's items as tables, which all mail programs show alike: the first item large, the others below it, then the
// coupon. Pure.
import { encode } from 'html-entities'
import type { ShopTheme } from '../../../shared/messages/palette.ts'
import type { TemplateCoupon } from './context.ts'
import {
  type CleanItem,
  countHiddenItems,
  describeSaving,
  limitItems,
  type ShownCart,
  SOLD_OUT,
  TOTAL,
} from './items.ts'

export interface ItemsLook {
  look: ShopTheme
  /** Target of pictures and names. */
  link: string
}

const TABLE = 'role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'
const WRAP = 'word-break:break-word;overflow-wrap:anywhere'

export function renderItems(cart: ShownCart, options: ItemsLook): string {
  const { coupon, cartTotal } = cart
  if (cart.items.length === 0) return coupon ? couponBoxHtml(coupon, options) : ''
  const [first, ...others] = limitItems(cart.items)
  const more = countHiddenItems(cart.items)
  const hasPictures = others.some(({ imageUrl }) => imageUrl !== null)
  const rows = [
    ...others.map((item) => itemRow(item, hasPictures, options)),
    ...(more ? [moreRow(more, hasPictures, options)] : []),
    ...(coupon ? couponRows(coupon, { cartTotal, span: hasPictures ? 2 : 1 }, options) : []),
  ]
  const list = rows.length > 0 ? renderTable(rows.join(''), 'margin:0 0 8px') : ''
  return firstItem(first!, rows.length > 0 ? 'margin:0' : 'margin:0 0 8px', options) + list
}

const renderTable = (rows: string, style: string) =>
  `<table ${TABLE} style="width:100%;border-collapse:separate;${style}">${rows}</table>`

const linkHtml = (text: string, link: string, style: string) =>
  `<a class="plain" href="${encode(link)}" target="_blank" style="${style};text-decoration:none">${text}</a>`

/** As wide as the mail, with a bounded height. */
function firstItem(item: CleanItem, margin: string, { look, link }: ItemsLook): string {
  const { light, radius } = look
  const corners = `border:0;border-radius:${radius}px;background-color:#ffffff;color:#17202b;font-size:14px`
  const style = `display:block;width:auto;max-width:100%;height:auto;max-height:560px;margin:0 auto;${corners}`
  const attributes = `class="first" width="520" alt="${encode(item.name)}"`
  const picture = item.imageUrl
    ? `<tr><td align="center" colspan="2" style="text-align:center">${renderPicture(item, link, style, attributes)}</td></tr>`
    : ''
  const price = item.isGone ? SOLD_OUT : item.lineTotal
  const line = picture ? '' : `;border-top:1px solid ${light.line}`
  const css = picture ? '' : ' class="line"'
  const cell = `<tr><td${css} style="padding:18px 12px 20px 0;vertical-align:top;${WRAP}${line}">${nameHtml(item, link, `font-size:19px;line-height:1.35;font-weight:600;color:${light.text}`)}${quantityHtml(item, light.muted)}</td><td${css} align="right" style="padding:18px 0 20px;width:1%;text-align:right;vertical-align:top;font-size:19px;line-height:1.35;font-weight:600;word-break:normal${line}">${encode(price)}</td></tr>`
  return renderTable(picture + cell, margin)
}

function itemRow(item: CleanItem, hasPictures: boolean, { look, link }: ItemsLook): string {
  const { light } = look
  const line = `border-top:1px solid ${light.line}`
  const cell = (style: string) => `padding:14px 0;${line};vertical-align:middle;${style}`
  return `<tr>${hasPictures ? pictureCell(item, cell('width:56px'), { look, link }) : ''}<td class="line" style="${cell(`padding-left:${hasPictures ? 14 : 0}px;padding-right:12px;${WRAP}`)}">${nameHtml(item, link, `font-weight:600;color:${light.text}`)}${quantityHtml(item, light.muted)}</td><td class="line" align="right" style="${cell('width:1%;text-align:right;word-break:normal')}">${encode(item.isGone ? SOLD_OUT : item.lineTotal)}</td></tr>`
}

function pictureCell(item: CleanItem, style: string, { look, link }: ItemsLook): string {
  const { light, radius } = look
  const corner = `border-radius:${Math.min(radius, 10)}px`
  const picture = item.imageUrl
    ? renderPicture(
        item,
        link,
        `display:block;width:56px;height:56px;object-fit:cover;border:0;${corner};background-color:#ffffff`,
        'class="thumb" width="56" height="56" alt=""',
      )
    : `<div class="thumb soft" style="width:56px;height:56px;${corner};background-color:${light.soft}">&nbsp;</div>`
  return `<td class="line" width="56" style="${style}">${picture}</td>`
}

/** The name beside it has the same link, so that a screen reader reads it once. */
const renderPicture = ({ imageUrl, isGone }: CleanItem, link: string, style: string, attributes: string): string => {
  const picture = `<img ${attributes} src="${encode(imageUrl!)}" style="${style}">`
  return isGone
    ? picture
    : `<a href="${encode(link)}" target="_blank" tabindex="-1" aria-hidden="true" style="text-decoration:none">${picture}</a>`
}

/** Text direction follows the name's letters. */
function nameHtml({ name, isGone }: CleanItem, link: string, style: string): string {
  const label = `<bdi dir="auto">${encode(name)}</bdi>`
  return isGone ? `<span class="muted" style="${style}">${label}</span>` : linkHtml(label, link, style)
}

function quantityHtml({ quantity, unitPrice, isGone }: CleanItem, colour: string): string {
  const label = isGone
    ? null
    : quantity === 1 || !unitPrice
      ? quantity === 1
        ? null
        : `Quantity ${quantity}`
      : `${quantity} × ${encode(unitPrice)}`
  return label === null
    ? ''
    : `<br><span class="muted" style="color:${colour};font-size:14px;font-weight:400">${label}</span>`
}

function moreRow(label: string, hasPictures: boolean, { look, link }: ItemsLook): string {
  const { light } = look
  return `<tr><td colspan="${hasPictures ? 3 : 2}" class="line" style="padding:14px 0;border-top:1px solid ${light.line}">${linkHtml(label, link, `color:${light.muted}`).replace('class="plain"', 'class="plain muted"')}</td></tr>`
}

/** Rows for the goods' total, the code with its saving, and the remaining total. */
function couponRows(
  coupon: TemplateCoupon,
  { cartTotal, span }: { cartTotal: string; span: number },
  { look }: ItemsLook,
): string[] {
  const { light } = look
  const until = coupon.expires
    ? `<br><span class="muted" style="color:${light.muted};font-size:14px">${encode(formatExpiry(coupon.expires))}</span>`
    : ''
  const line = `border-top:1px solid ${light.line}`
  const row = (label: string, figure: string, style: string, css = '') =>
    `<tr><td colspan="${span}" class="${css}" style="padding:10px 12px 10px 0;${style};${WRAP}">${label}</td><td class="${css}" align="right" style="padding:10px 0;text-align:right;${style};vertical-align:top;word-break:normal">${encode(figure)}</td></tr>`
  const named = `Coupon <span class="code" style="${codeStyle(look)};padding:2px 8px">${encode(coupon.code)}</span>${until}`
  const before = coupon.total !== null && cartTotal ? [row('Subtotal', cartTotal, line, 'line')] : []
  const saved = row(
    named,
    describeSaving(coupon),
    before.length > 0 ? 'border:0' : line,
    before.length > 0 ? '' : 'line',
  )
  const totalRow =
    coupon.total === null ? [] : [row(TOTAL, coupon.total, `${line};font-size:18px;font-weight:700`, 'line')]
  return [...before, saved, ...totalRow]
}

const formatExpiry = (expires: string) => `Valid until ${expires}`

const codeStyle = ({ light, radius }: ShopTheme) =>
  `display:inline-block;border:1px dashed ${light.accent};border-radius:${Math.min(radius, 6)}px;background-color:${light.soft};color:${light.text};font-weight:700;letter-spacing:0.04em`

/** Shows the coupon when there is no cart. */
function couponBoxHtml(coupon: TemplateCoupon, { look }: ItemsLook): string {
  const { light, radius } = look
  const small = (label: string) =>
    `<div class="muted" style="padding-top:6px;color:${light.muted};font-size:14px;line-height:1.5">${encode(label)}</div>`
  const worth = coupon.amount ? `${coupon.amount} off` : describeSaving(coupon)
  const until = coupon.expires ? small(formatExpiry(coupon.expires)) : ''
  return renderTable(
    `<tr><td class="code" align="center" style="padding:22px 16px;border:1px dashed ${light.accent};border-radius:${radius}px;background-color:${light.soft};text-align:center;${WRAP}"><div style="font-size:24px;line-height:1.3;font-weight:700;letter-spacing:0.06em">${encode(coupon.code)}</div>${worth && small(worth)}${until}</td></tr>`,
    'margin:8px 0 24px',
  )
}
