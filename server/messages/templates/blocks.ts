// Replaces the marks of a legacy text after cleaning: with tables in HTML, with lines in text. Pure.
import type { ItemsOptions, ItemsStyle } from '../../../shared/messages/mail-chunks.ts'
import { getDirection } from '../../../shared/messages/mail-format.ts'
import { renderItemsHtml, renderItemsText, type ShownCart } from '../../../shared/messages/mail-items.ts'
import { mixColours, type ShopTheme } from '../../../shared/messages/palette.ts'
import { BUTTON_MARKS, ITEMS_MARK, ROW_MARKS } from './compile.ts'
import type { DraftStyle } from './draft.ts'
import type { CleanValues } from './values.ts'

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
/** How a text shows its items. */
export const TEXT_ITEMS = {
  layout: 'large',
  part: 'all',
  max: 12,
  hasPrices: true,
  hasQuantities: true,
  hasCoupon: true,
} as const satisfies ItemsOptions

export interface Shown {
  values: CleanValues
  style: DraftStyle
  /** Target of the items. */
  cartLink: string
}

export function renderBlocksHtml(content: string, shown: Shown): string {
  const { look, locale } = shown.style
  const end = getDirection(locale) === 'ltr' ? 'right' : 'left'
  const [before, ...after] = content.split(BUTTON)
  const withButtons = after.map((part) => {
    const [button, ...rest] = part.split(BUTTON_END)
    return `${drawButton(button!, look)}${rest.join('')}`
  })
  return [before, ...withButtons]
    .join('')
    .replace(ROWS, (_, label: string, amount: string) => (amount ? drawRow(label, amount, look, end) : ''))
    .replaceAll(ITEMS_MARK, () => renderItemsHtml(TEXT_ITEMS, findItemsStyle(shown.style), toCart(shown)))
}

const toCart = ({ values, style, cartLink }: Shown): ShownCart => ({
  items: values.items,
  coupon: values.coupon ?? values.entered,
  cartTotal: values.cartTotal,
  language: style.locale,
  link: cartLink,
})

const findItemsStyle = ({ look: { light, radius }, locale }: DraftStyle): ItemsStyle => ({
  text: light.text,
  muted: light.muted,
  line: light.line,
  soft: light.soft,
  plate: mixColours('#ffffff', light.accent, 0.07),
  link: light.accent,
  radius,
  weight: 600,
  width: 520,
  direction: getDirection(locale),
})

/** The cell has the colour too, because some mail programs do not colour a link. */
function drawButton(link: string, { light, radius }: ShopTheme): string {
  return `<table ${TABLE} width="100%" style="width:100%"><tr><td style="padding:20px 0 24px"><table ${TABLE} class="cta" width="100%" style="width:100%;border-collapse:separate"><tr><td class="b" align="center" bgcolor="${light.button}" style="border-radius:${radius}px;background-color:${light.button};mso-padding-alt:16px 32px">${link}</td></tr></table></td></tr></table>`
}

function drawRow(label: string, amount: string, { light }: ShopTheme, end: 'left' | 'right'): string {
  const cell = `padding:16px 0;border-top:1px solid ${light.line};font-size:18px;line-height:1.4;font-weight:700`
  return `<table ${TABLE} width="100%" style="width:100%;margin:0;border-collapse:separate"><tr><td class="l" style="${cell}">${label}</td><td class="l" align="${end}" style="${cell};text-align:${end};word-break:normal">${amount}</td></tr></table>`
}

export const renderBlocksText = (plain: string, shown: Shown): string =>
  plain
    .replace(BUTTONS, (_, label: string, url: string) => `\n\n${label.trim()}:\n${url.trim()}\n\n`)
    .replace(NEIGHBOURS, ROW_END + ROW)
    .replace(ROWS, (_, label: string, amount: string) => (amount ? `\n${label.trim()}: ${amount}` : ''))
    .replaceAll(
      ITEMS_MARK,
      () => `\n\n${renderItemsText(TEXT_ITEMS, toCart(shown), (code) => plain.includes(code))}\n\n`,
    )

/** For the preview line. */
export const removeBlocks = (plain: string): string =>
  plain.replace(BUTTONS, '').replace(ROWS, '').replaceAll(ITEMS_MARK, '')
