// The goods of a cart in a mail, as tables, which all mail programs show alike, and as lines of text. Names and pictures
// come from a store and are untrusted. Pure.
import { escapeHtml } from './clean-text.ts'
import { type CopyValues, getCopy } from './copy/copy.ts'
import type { CopyId } from './copy/en.ts'
import type { ItemsOptions, ItemsStyle } from './mail-chunks.ts'
import type { MailCoupon, MailItem, MailProduct } from './mail-values.ts'

export interface ShownCart {
  items: readonly MailItem[]
  /** Of the message, or entered by the shopper. */
  coupon: MailCoupon | null
  cartTotal: string
  language: string
  /** Target of pictures and names. */
  link: string
}

interface Drawing extends ItemsOptions {
  style: ItemsStyle
  cart: ShownCart
  start: 'left' | 'right'
  end: 'left' | 'right'
}

const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0" width="100%"'
const WRAP = 'word-break:break-word;overflow-wrap:anywhere;line-height:1.4'

const say = ({ language }: ShownCart, id: CopyId, values?: CopyValues): string => getCopy(id, language, values)

/** The items of a part, and how many of the cart it omits. */
function selectItems(
  { items }: ShownCart,
  { part, max }: ItemsOptions,
): { shown: readonly MailItem[]; hidden: number } {
  const [from, to] = part === 'rest' ? [1, 1 + max] : [0, part === 'first' ? 1 : max]
  return { shown: items.slice(from, to), hidden: part === 'first' ? 0 : Math.max(0, items.length - to) }
}

export function renderItemsHtml(options: ItemsOptions, style: ItemsStyle, cart: ShownCart): string {
  const [start, end] = style.direction === 'ltr' ? (['left', 'right'] as const) : (['right', 'left'] as const)
  const drawing: Drawing = { ...options, style, cart, start, end }
  const coupon = options.hasCoupon ? cart.coupon : null
  if (cart.items.length === 0) return coupon ? drawCouponBox(coupon, drawing) : ''
  const { shown, hidden } = selectItems(cart, options)
  const isSingle = options.layout === 'grid' && shown.length === 1
  const isLarge = (options.layout === 'large' || isSingle) && options.part !== 'rest'
  const [first, others] = isLarge ? [shown[0], shown.slice(1)] : [undefined, shown]
  const isGrid = options.layout === 'grid' && others.length > 1
  const hasPictures = !isGrid && others.some(({ imageUrl }) => imageUrl !== null)
  const span = hasPictures ? 2 : 1
  const rows = [
    ...(isGrid ? [] : others.map((item) => drawRow(item, hasPictures, drawing))),
    ...(hidden > 0 ? [drawMore(hidden, span + 1, drawing)] : []),
    ...(coupon ? drawCouponRows(coupon, span, drawing) : []),
  ]
  const below = rows.length > 0 ? '8px 0 0' : '8px 0'
  return [
    first ? drawFirst(first, below, drawing) : '',
    isGrid ? drawGrid(others, drawing) : '',
    rows.length > 0 ? drawTable(rows.join(''), '8px 0') : '',
  ].join('')
}

const drawTable = (rows: string, margin: string) =>
  `<table ${TABLE} style="width:100%;border-collapse:separate;margin:${margin}">${rows}</table>`

const drawLink = (label: string, link: string, style: string, css: string) =>
  `<a class="${css}" href="${escapeHtml(link)}" target="_blank" style="${style};text-decoration:none">${label}</a>`

/** As wide as the mail, with a bounded height. */
function drawFirst(item: MailItem, margin: string, drawing: Drawing): string {
  const { style, cart, end, hasPrices } = drawing
  const corner = `border-radius:${style.radius}px`
  const css = `display:block;width:auto;max-width:100%;height:auto;max-height:560px;margin:0 auto;border:0;${corner};color:#17202b;font-size:14px`
  // The height of a cell is its least: the plate of a picture that is not loaded.
  const picture = item.imageUrl
    ? `<tr><td align="center" colspan="2" height="160" bgcolor="${style.plate}" style="height:160px;${corner};background-color:${style.plate};text-align:center;vertical-align:middle">${drawPicture(item, cart.link, css, `class="first" width="${style.width}" alt="${escapeHtml(item.name)}"`)}</td></tr>`
    : ''
  const [line, cell] = picture ? ['', ''] : [`;border-top:1px solid ${style.line}`, ' class="l"']
  const font = `font-size:19px;line-height:1.35;font-weight:${style.weight}`
  const price = hasPrices
    ? `<td${cell} align="${end}" style="padding:18px 0 20px;width:1%;text-align:${end};vertical-align:top;${font};word-break:normal${line}">${drawPrice(item, cart)}</td>`
    : ''
  return drawTable(
    `${picture}<tr><td${cell} style="padding:${pad('18px', '12px', '20px', '0', drawing)};vertical-align:top;${WRAP}${line}">${drawName(item, drawing, font)}${drawQuantity(item, drawing)}</td>${price}</tr>`,
    margin,
  )
}

/** Padding with start and end in place of left and right. */
const pad = (top: string, end: string, bottom: string, start: string, { style }: Pick<Drawing, 'style'>): string =>
  style.direction === 'ltr' ? `${top} ${end} ${bottom} ${start}` : `${top} ${start} ${bottom} ${end}`

const drawPrice = (item: MailItem, cart: ShownCart): string =>
  escapeHtml(item.isGone ? say(cart, 'soldOut') : item.lineTotal)

function drawRow(item: MailItem, hasPictures: boolean, drawing: Drawing): string {
  const { style, cart, end, hasPrices } = drawing
  const line = `border-top:1px solid ${style.line}`
  const name = `font-size:16px;line-height:1.4;font-weight:${style.weight}`
  const price = hasPrices
    ? `<td class="l" align="${end}" style="padding:14px 0;width:1%;text-align:${end};vertical-align:middle;${name};word-break:normal;${line}">${drawPrice(item, cart)}</td>`
    : ''
  const inset = hasPictures ? '14px' : '0'
  return `<tr>${hasPictures ? drawThumb(item, drawing) : ''}<td class="l" style="padding:${pad('14px', '12px', '14px', inset, drawing)};vertical-align:middle;${WRAP};${line}">${drawName(item, drawing, name)}${drawQuantity(item, drawing)}</td>${price}</tr>`
}

function drawThumb(item: MailItem, { style, cart }: Drawing): string {
  const corner = `border-radius:${Math.min(style.radius, 10)}px`
  const picture = item.imageUrl
    ? drawPicture(
        item,
        cart.link,
        `display:block;width:56px;height:56px;object-fit:cover;border:0;${corner};background-color:${style.plate}`,
        'class="thumb" width="56" height="56" alt=""',
      )
    : `<div class="thumb sf" style="width:56px;height:56px;${corner};background-color:${style.soft}">&nbsp;</div>`
  return `<td class="l" width="56" style="width:56px;padding:14px 0;vertical-align:middle;border-top:1px solid ${style.line}">${picture}</td>`
}

/** The name beside it has the same link, so that a screen reader reads it once. */
function drawPicture({ imageUrl, isGone }: MailItem, link: string, style: string, attributes: string): string {
  const picture = `<img ${attributes} src="${escapeHtml(imageUrl!)}" style="${style}">`
  return isGone
    ? picture
    : `<a href="${escapeHtml(link)}" target="_blank" tabindex="-1" aria-hidden="true" style="text-decoration:none">${picture}</a>`
}

/** Text direction follows the name's letters. */
function drawName({ name, isGone }: MailItem, { style, cart }: Drawing, font: string): string {
  const label = `<bdi dir="auto">${escapeHtml(name)}</bdi>`
  return isGone
    ? `<span class="m" style="${font};color:${style.muted}">${label}</span>`
    : drawLink(label, cart.link, `${font};color:${style.text}`, 'n')
}

function drawQuantity({ quantity, unitPrice, isGone }: MailItem, { style, cart, hasQuantities, hasPrices }: Drawing) {
  if (!hasQuantities || isGone || quantity === 1) return ''
  const label =
    unitPrice && hasPrices ? `${quantity} × ${escapeHtml(unitPrice)}` : say(cart, 'quantity', { count: quantity })
  return `<br><span class="m" style="color:${style.muted};font-size:14px;font-weight:400">${label}</span>`
}

/** Two beside each other, also on a phone; an odd last one has its picture beside its name. */
function drawGrid(items: readonly MailItem[], drawing: Drawing): string {
  const rows: string[] = []
  for (let at = 0; at < items.length; at += 2) {
    const [one, two] = [items[at]!, items[at + 1]]
    const cells = two
      ? drawCell(one, 'start', drawing) + drawCell(two, 'end', drawing)
      : `<td width="50%" valign="middle" style="width:50%;padding:${pad('0', '10px', '24px', '0', drawing)}">${drawHalf(one, drawing)}</td><td valign="middle" style="padding:${pad('0', '0', '24px', '10px', drawing)};${WRAP}">${drawCaption(one, drawing)}</td>`
    rows.push(`<tr>${cells}</tr>`)
  }
  return `<table ${TABLE} style="table-layout:fixed;width:100%">${rows.join('')}</table>`
}

const drawCell = (item: MailItem, side: 'start' | 'end', drawing: Drawing): string =>
  `<td width="50%" valign="top" style="width:50%;padding:${side === 'start' ? pad('0', '10px', '28px', '0', drawing) : pad('0', '0', '28px', '10px', drawing)};${WRAP}">${drawHalf(item, drawing)}<div style="height:12px;line-height:12px;font-size:0">&nbsp;</div>${drawCaption(item, drawing)}</td>`

function drawHalf(item: MailItem, { style, cart }: Drawing): string {
  const corner = `border-radius:${style.radius}px`
  if (!item.imageUrl) {
    return `<div class="sf" style="height:120px;line-height:120px;${corner};background-color:${style.soft}">&nbsp;</div>`
  }
  const width = Math.floor((style.width - 20) / 2)
  const picture = drawPicture(
    item,
    cart.link,
    `display:block;width:100%;max-width:${width}px;height:auto;border:0;${corner}`,
    `class="half" width="${width}" alt=""`,
  )
  return `<table ${TABLE} style="width:100%;border-collapse:separate"><tr><td height="120" bgcolor="${style.plate}" style="height:120px;${corner};background-color:${style.plate};font-size:0;line-height:0">${picture}</td></tr></table>`
}

function drawCaption(item: MailItem, drawing: Drawing): string {
  const font = `font-size:16px;line-height:1.35;font-weight:${drawing.style.weight}`
  const price = drawing.hasPrices ? drawPrice(item, drawing.cart) : ''
  return `${drawName(item, drawing, font)}${price && `<br><span style="${font}">${price}</span>`}${drawQuantity(item, drawing)}`
}

const drawMore = (hidden: number, span: number, { style, cart }: Drawing): string =>
  `<tr><td colspan="${span}" class="l" style="padding:14px 0;border-top:1px solid ${style.line}">${drawLink(say(cart, 'moreItems', { count: hidden }), cart.link, `color:${style.muted}`, 'm')}</td></tr>`

/** Rows for the goods' total, the code with its saving, and the remaining total. */
function drawCouponRows(coupon: MailCoupon, span: number, drawing: Drawing): string[] {
  const { style, cart, end } = drawing
  const line = `border-top:1px solid ${style.line}`
  const draw = (label: string, figure: string, css: string, name: string) =>
    `<tr><td colspan="${span}" class="${name}" style="padding:${pad('10px', '12px', '10px', '0', drawing)};${css};${WRAP}">${label}</td><td class="${name}" align="${end}" style="padding:10px 0;text-align:${end};${css};vertical-align:top;word-break:normal">${escapeHtml(figure)}</td></tr>`
  const until = coupon.expires
    ? `<br><span class="m" style="color:${style.muted};font-size:14px">${escapeHtml(say(cart, 'validUntil', { date: coupon.expires }))}</span>`
    : ''
  const code = `<span class="cd" style="${codeStyle(style)};padding:2px 8px">${escapeHtml(coupon.code)}</span>`
  const hasSubtotal = coupon.total !== null && cart.cartTotal !== ''
  const [css, name] = hasSubtotal ? ['border:0', ''] : [line, 'l']
  return [
    ...(hasSubtotal ? [draw(say(cart, 'subtotal'), cart.cartTotal, line, 'l')] : []),
    draw(`${say(cart, 'coupon')} ${code}${until}`, describeSaving(coupon, cart), css, name),
    ...(coupon.total === null
      ? []
      : [draw(say(cart, 'totalWithCoupon'), coupon.total, `${line};font-size:18px;font-weight:700`, 'l')]),
  ]
}

const codeStyle = ({ text, link, soft, radius }: ItemsStyle) =>
  `display:inline-block;border:1px dashed ${link};border-radius:${Math.min(radius, 6)}px;background-color:${soft};color:${text};font-weight:700;letter-spacing:0.04em`

/** The saving or discount; empty where neither is known. */
const describeSaving = ({ saving, amount, isFreeShipping }: MailCoupon, cart: ShownCart): string =>
  saving === null ? amount || (isFreeShipping ? say(cart, 'freeShipping') : '') : `−${saving}`

/** Shows the coupon when there is no cart. */
function drawCouponBox(coupon: MailCoupon, { style, cart }: Drawing): string {
  const draw = (label: string) =>
    `<div class="m" style="padding-top:6px;color:${style.muted};font-size:14px;line-height:1.5">${escapeHtml(label)}</div>`
  const worth = coupon.amount ? say(cart, 'amountOff', { amount: coupon.amount }) : describeSaving(coupon, cart)
  return drawTable(
    `<tr><td class="cd" align="center" style="padding:22px 16px;border:1px dashed ${style.link};border-radius:${style.radius}px;background-color:${style.soft};text-align:center;${WRAP}"><div style="font-size:24px;line-height:1.3;font-weight:700;letter-spacing:0.06em">${escapeHtml(coupon.code)}</div>${worth && draw(worth)}${coupon.expires ? draw(say(cart, 'validUntil', { date: coupon.expires })) : ''}</td></tr>`,
    '8px 0 24px',
  )
}

/** Lines for the text part. `isCodeNamed`: the surrounding text has the coupon's code. */
export function renderItemsText(
  options: ItemsOptions,
  cart: ShownCart,
  isCodeNamed: (code: string) => boolean,
): string {
  const coupon = options.hasCoupon ? cart.coupon : null
  if (cart.items.length === 0) return coupon && !isCodeNamed(coupon.code) ? describeCoupon(coupon, cart) : ''
  const { shown, hidden } = selectItems(cart, options)
  const lines = shown.map((item) => {
    const price = options.hasPrices ? (item.isGone ? say(cart, 'soldOut') : item.lineTotal) : ''
    return `- ${options.hasQuantities ? `${item.quantity} × ` : ''}${item.name}${price && `: ${price}`}`
  })
  if (hidden > 0) lines.push(say(cart, 'moreItems', { count: hidden }))
  if (coupon) {
    lines.push('', describeCoupon(coupon, cart))
    if (coupon.total !== null) lines.push(`${say(cart, 'totalWithCoupon')}: ${coupon.total}`)
  }
  return lines.join('\n')
}

function describeCoupon(coupon: MailCoupon, cart: ShownCart): string {
  const worth = describeSaving(coupon, cart)
  const until = coupon.expires ? ` ${say(cart, 'couponValidUntil', { date: coupon.expires })}` : ''
  return `${say(cart, 'coupon')} ${coupon.code}${worth && `: ${worth}`}${until}`
}

export function renderProductHtml(product: MailProduct, label: string, style: ItemsStyle, link: string): string {
  const item = { ...product, quantity: 1, unitPrice: '', lineTotal: product.price, isGone: false }
  const [start, end] = style.direction === 'ltr' ? (['left', 'right'] as const) : (['right', 'left'] as const)
  const cart: ShownCart = { items: [item], coupon: null, cartTotal: '', language: 'en', link }
  const options = { layout: 'large', part: 'first', max: 1, hasPrices: true, hasQuantities: false } as const
  const drawing: Drawing = { ...options, hasCoupon: false, style, cart, start, end }
  const view = `<p style="margin:0 0 20px">${drawLink(escapeHtml(label), link, `color:${style.link}`, 'a')}</p>`
  return drawFirst(item, '0', drawing) + view
}
