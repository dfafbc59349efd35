// Compiles a document to chunks: table HTML, text part, subject and preview line. Pure and deterministic: the same
// document, brand kit, theme and language give the same chunks, which mail-fill.ts fills for each shopper.
import { type BrandKit, socialKinds } from './brand.ts'
import { cleanText, escapeHtml, parseWebAddress } from './clean-text.ts'
import { getCopy } from './copy/copy.ts'
import type { CopyId } from './copy/en.ts'
import { type Chunk, type CompiledMail, chunk, type ItemsOptions, type ItemsStyle, joinChunks } from './mail-chunks.ts'
import {
  type Background,
  type Block,
  type CouponValue,
  couponValues,
  type Inline,
  type Leaf,
  type MailDocument,
  type Show,
  type ThemeName,
} from './mail-document.ts'
import { getDirection, normalizeTag } from './mail-format.ts'
import { listShownPoints } from './mail-points.ts'
import { findMailStyles } from './mail-styles.ts'
import { findMailTheme, type Ground, type MailBrandKit, type MailTheme } from './mail-theme.ts'

/** Of the mail, in px. */
const WIDTH = 600
const TABLE = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'

interface Compilation {
  document: MailDocument
  kit: MailBrandKit
  theme: MailTheme
  language: string
  direction: 'ltr' | 'rtl'
  start: 'left' | 'right'
  end: 'left' | 'right'
}

/** Where a block is. */
interface Place {
  background: Background
  ground: Ground
  /** In px. */
  width: number
}

export function compile(
  document: MailDocument,
  brandKit: MailBrandKit,
  theme: ThemeName,
  language: string,
): CompiledMail {
  const mail = startCompilation(document, brandKit, theme, language)
  return {
    language: mail.language,
    subject: Array.isArray(document.subject) ? inlineText(document.subject, mail) : null,
    preview: compilePreview(mail),
    promise: mail.kit.promise
      ? { html: promiseParagraph(mail, mail.theme.grounds.card, 'start'), text: [`\n${mail.kit.promise}\n\n`] }
      : { html: [], text: [] },
    html: compileHtml(mail),
    text: compileText(mail),
    footer: compileTextFooter(mail),
  }
}

/** A part of a mail by itself, for the editor. */
export type MailPart =
  | { kind: 'logo' }
  | { kind: 'footer'; footer: MailDocument['footer'] }
  /** `share`: of the width, in a column. */
  | { kind: 'block'; block: Leaf; background: Background; share?: number }

/** Compiles the part to the same bytes as in the whole mail, without its condition. */
export function compilePart(part: MailPart, brandKit: MailBrandKit, theme: ThemeName, language: string): CompiledMail {
  const footer = part.kind === 'footer' ? part.footer : { text: '', hasSocial: false }
  const mail = startCompilation(
    { version: 1, theme, language: null, subject: [], preview: [], bands: [], footer },
    brandKit,
    theme,
    language,
  )
  return {
    language: mail.language,
    subject: [],
    preview: [],
    promise: { html: [], text: [] },
    html: compilePartHtml(part, mail),
    text: [],
    footer: [],
  }
}

function compilePartHtml(part: MailPart, mail: Compilation): Chunk[] {
  if (part.kind === 'logo') return logoHtml(mail)
  if (part.kind === 'footer') return footerHtml(mail)
  const { block, background, share } = part
  const full = WIDTH - 2 * mail.theme.padding
  const width = share === undefined ? full : Math.floor(full * share) - COLUMN_GAP
  return leafHtml(block, mail, { background, ground: mail.theme.grounds[background], width })
}

function startCompilation(
  document: MailDocument,
  brandKit: MailBrandKit,
  theme: ThemeName,
  language: string,
): Compilation {
  const tag = normalizeTag(language)
  const direction = getDirection(tag)
  const [start, end] = direction === 'ltr' ? (['left', 'right'] as const) : (['right', 'left'] as const)
  return {
    document,
    kit: cleanKit(brandKit),
    theme: findMailTheme(brandKit, theme),
    language: tag,
    direction,
    start,
    end,
  }
}

const say = ({ language }: Pick<Compilation, 'language'>, id: CopyId) => getCopy(id, language)

const HOLE = '\ue000'

/** A text of the catalogue with chunks as its only argument. */
function sayWith(mail: Compilation, id: CopyId, argument: string, chunks: Chunk[], isHtml: boolean): Chunk[] {
  const [before, after = ''] = getCopy(id, mail.language, { [argument]: HOLE }).split(HOLE)
  const write = (text: string) => (isHtml ? escapeHtml(text) : text)
  return chunk`${write(before!)}${chunks}${write(after)}`
}

const showIf = (show: Show, chunks: Chunk[]): Chunk[] =>
  show === 'always' || chunks.length === 0 ? chunks : [{ kind: 'if', when: show, chunks }]

// The brand kit

const MAX_LOGO = { width: 200, height: 64 }

function cleanKit(kit: MailBrandKit): MailBrandKit {
  const social = kit.social.flatMap(({ kind, url }) => {
    const address = Object.hasOwn(socialKinds, kind) ? parseWebAddress(url) : null
    return address?.startsWith('https:') ? [{ kind, url: address }] : []
  })
  const footerWords = cleanText(kit.footerWords, 300)
  return { ...kit, social, footerWords, promise: cleanText(kit.promise, 160), logo: kit.logo && cleanLogo(kit.logo) }
}

/** Half its size at most, so that it is sharp on phones, and within the size of a heading. */
function cleanLogo({ url: text, width, height, alt }: NonNullable<MailBrandKit['logo']>): MailBrandKit['logo'] {
  const url = parseWebAddress(text)
  if (!url || !(width > 0 && height > 0)) return null
  const scale = Math.min(width > 2 * MAX_LOGO.height ? 0.5 : 1, MAX_LOGO.width / width, MAX_LOGO.height / height)
  const scaled = (side: number) => Math.max(1, Math.round(side * scale))
  return { url, width: scaled(width), height: scaled(height), alt: cleanText(alt, 120) }
}

const listSocial = ({ social }: Pick<BrandKit, 'social'>) =>
  social.map(({ kind, url }) => ({ name: socialKinds[kind].name, url }))

// Words

/** Its label depends on whether there is a cart. */
const linkLabel = (mail: Compilation, isHtml: boolean): Chunk[] => {
  const write = (id: CopyId) => [isHtml ? escapeHtml(say(mail, id)) : say(mail, id)]
  return [
    { kind: 'if', when: 'with_cart', chunks: write('returnToCart') },
    { kind: 'if', when: 'without_cart', chunks: write('visitShop') },
  ]
}

type ValueRun = Extract<Inline, { kind: 'value' }>

function valueChunk({ name, fallback }: ValueRun, mail: Compilation): Chunk {
  if (name === 'checkout_link') return ''
  const other = fallback ? cleanText(fallback, 80) : name === 'customer_name' ? say(mail, 'there') : ''
  return { kind: 'value', name, ...(other && { fallback: other }) }
}

/** Owners' text keeps its spaces and loses what no mail may contain. */
const cleanRun = (text: string): string => text.toWellFormed().replace(NEVER_IN_MAIL, '').replace(/\s+/g, ' ')
const NEVER_IN_MAIL = /(?!\s)\p{Cc}|[\p{Co}\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/gu

const hrefChunk = (href: string): Chunk => {
  if (href === 'cart' || href === 'shop') return { kind: 'link', href }
  if (href.startsWith('mailto:')) return href
  return { kind: 'link', href: parseWebAddress(href) ?? 'cart' }
}

function inlineHtml(inlines: readonly Inline[], mail: Compilation, ground: Ground): Chunk[] {
  return joinChunks(inlines.map((run) => runHtml(run, mail, ground)))
}

function runHtml(run: Inline, mail: Compilation, ground: Ground): Chunk[] {
  if (run.kind === 'break') return ['<br>']
  const link = (href: Chunk, label: Chunk[]) =>
    chunk`<a class="a" href="${isLiteral(href) ? escapeHtml(href) : href}" target="_blank" style="color:${ground.link}">${label}</a>`
  if (run.kind === 'value') {
    const isLink = run.name === 'checkout_link'
    const inner = isLink ? linkLabel(mail, true) : [valueChunk(run, mail)]
    const marked = markHtml(run.marks, inner)
    return isLink ? link({ kind: 'link', href: 'cart' }, marked) : marked
  }
  const marked = markHtml(run.marks, [escapeHtml(cleanRun(run.text))])
  return run.href === undefined ? marked : link(hrefChunk(run.href), marked)
}

const isLiteral = (part: Chunk): part is string => typeof part === 'string'

const MARK_TAGS = { bold: 'strong', italic: 'em', underline: 'u' } as const

const markHtml = (marks: readonly (keyof typeof MARK_TAGS)[], inner: Chunk[]): Chunk[] =>
  marks.reduce((html, mark) => chunk`<${MARK_TAGS[mark]}>${html}</${MARK_TAGS[mark]}>`, inner)

/** A link's label is followed by its address, unless that is the label. */
function inlineText(inlines: readonly Inline[], mail: Compilation): Chunk[] {
  return joinChunks(
    inlines.map((run): Chunk[] => {
      if (run.kind === 'break') return ['\n']
      if (run.kind === 'value') {
        return run.name === 'checkout_link'
          ? chunk`${linkLabel(mail, false)} ${{ kind: 'link', href: 'cart' }}`
          : [valueChunk(run, mail)]
      }
      const text = cleanRun(run.text)
      if (run.href === undefined) return [text]
      const href = hrefChunk(run.href)
      if (isLiteral(href)) return [href === `mailto:${text}` ? text : `${text} (${href.slice('mailto:'.length)})`]
      return [{ kind: 'labelled_link', label: text, href: (href as { href: string }).href }]
    }),
  )
}

// What a block depends on

/** The coupon values that it prints without a fallback: it is left out where one is empty. */
const listNeeded = (inlines: readonly Inline[]): CouponValue[] => [
  ...new Set(
    inlines.flatMap((run) =>
      run.kind === 'value' && !run.fallback ? couponValues.filter((name) => name === run.name) : [],
    ),
  ),
]

const leadsToCart = (inlines: readonly Inline[]): boolean =>
  inlines.some(
    (run) => (run.kind === 'text' && run.href === 'cart') || (run.kind === 'value' && run.name === 'checkout_link'),
  )

function showFilled(inlines: readonly Inline[], chunks: Chunk[]): Chunk[] {
  const values = listNeeded(inlines)
  return values.length === 0 ? chunks : [{ kind: 'filled', values, leadsToCart: leadsToCart(inlines), chunks }]
}

const isBlank = (inlines: readonly Inline[]): boolean =>
  inlines.every((run) => run.kind === 'break' || (run.kind === 'text' && run.text.trim() === ''))

const itemsOptions = ({ layout, part, max, hasPrices, hasQuantities, hasCoupon }: ItemsOptions): ItemsOptions => ({
  layout,
  part,
  max,
  hasPrices,
  hasQuantities,
  hasCoupon,
})

// HTML

function compileHtml(mail: Compilation): Chunk[] {
  const { theme, language, direction } = mail
  const field = (name: Extract<Chunk, { kind: 'field' }>['name']): Chunk => ({ kind: 'field', name })
  const bands = bandsHtml(mail)
  const scheme = theme.isDarkByDay ? 'dark' : 'light dark'
  return chunk`<!doctype html>
<html lang="${language}" dir="${direction}" xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${scheme}">
<meta name="supported-color-schemes" content="${scheme}">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="x-apple-disable-message-reformatting">
<title>${field('subject')}</title>
<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>td,a,p{font-family:${findOutlookFont(theme.font)} !important}h1,h2{font-family:${findOutlookFont(theme.headingFont)} !important}.s{padding:32px ${theme.padding}px 20px !important}</style><![endif]-->
<style>${findMailStyles(theme)}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:${theme.page}">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${field('preview')}${'&#8199;&#847; '.repeat(9)}</div>
<table ${TABLE} class="page" width="100%" style="table-layout:fixed;width:100%;background-color:${theme.page}"><tr><td class="outer" align="center" style="padding:0 0 24px">
<!--[if mso]><table ${TABLE} width="${WIDTH}"><tr><td><![endif]-->
<table ${TABLE} width="100%" style="table-layout:fixed;width:100%;max-width:${WIDTH}px;border-collapse:separate">
${logoHtml(mail)}
${bands}${closingHtml(mail)}
${footerHtml(mail)}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
${field('trackers')}</body>
</html>
`
}

/** Outlook shows Times where it does not know the first font. */
const findOutlookFont = (fonts: string): string =>
  /^(-apple-system|'Helvetica)/.test(fonts) ? 'Arial,sans-serif' : fonts

function logoHtml(mail: Compilation): Chunk[] {
  const { kit, theme, start } = mail
  const { card } = theme.grounds
  const isOnCard = theme.isCard && theme.name === 'letter'
  const align = theme.logoAlign === 'center' ? 'center' : start
  const name: Chunk = { kind: 'value', name: 'store_name' }
  const to: Chunk = { kind: 'link', href: 'cart', isLayout: true }
  const inner = kit.logo
    ? chunk`<a href="${to}" target="_blank" style="text-decoration:none"><img class="logo" src="${escapeHtml(kit.logo.url)}" alt="${kit.logo.alt ? escapeHtml(kit.logo.alt) : name}" width="${kit.logo.width}" height="${kit.logo.height}" style="display:inline-block;width:${kit.logo.width}px;height:auto;max-width:100%;border:0;font-size:20px;font-weight:700;color:${card.text}"></a>`
    : chunk`<a class="n" href="${to}" target="_blank" style="${theme.nameStyle};line-height:1.3;color:${card.text};text-decoration:none">${name}</a>`
  const background = isOnCard || theme.name === 'bold' ? 'bg-card' : ''
  const fill = background ? `background-color:${card.background};` : ''
  const corners = isOnCard ? ' begin' : ''
  return chunk`<tr><td class="s top${corners} ${background}" align="${align}" style="padding:28px 20px ${isOnCard ? 0 : 24}px;${fill}font-family:${theme.font};text-align:${align};word-break:break-word">${inner}</td></tr>`
}

/** A band with content. */
interface FilledBand {
  background: Background
  show: Show
  content: Chunk[]
}

function bandsHtml(mail: Compilation): Chunk[] {
  const bands = mail.document.bands.flatMap(({ background, show, blocks }): FilledBand[] => {
    const place = { background, ground: mail.theme.grounds[background], width: WIDTH - 2 * mail.theme.padding }
    const content = joinChunks(blocks.map((block) => blockHtml(block, mail, place)))
    return content.length === 0 ? [] : [{ background, show, content }]
  })
  return joinChunks(bands.map((_, at) => bandHtml(mail, bands, at)))
}

/** Whether only one of the two is shown, and one of them always. */
const areAlternatives = (one: FilledBand, other: FilledBand): boolean => invert(one.show) === other.show

const OPPOSITES = { with_coupon: 'without_coupon', without_coupon: 'with_coupon' } as const

function invert(show: Show): string | null {
  if (show === 'with_coupon' || show === 'without_coupon') return OPPOSITES[show]
  const [test, name] = show.split(':')
  if (name === undefined) return null
  return `${test === 'has' ? 'lacks' : 'has'}:${name}`
}

function bandHtml({ theme, start }: Compilation, bands: readonly FilledBand[], at: number): Chunk[] {
  const band = bands[at]!
  const { background, show, content } = band
  const ground = theme.grounds[background]
  const isFirst = theme.name !== 'letter' && bands.slice(0, at).every((each) => areAlternatives(each, band))
  const isLast = bands.slice(at + 1).every((each) => areAlternatives(each, band))
  const corners = theme.isCard ? `${isFirst ? ' begin' : ''}${isLast ? ' end' : ''}` : ''
  const continued = isContinued(bands, at) ? ' more' : ''
  return showIf(
    show,
    chunk`<tr><td class="s bg-${background}${corners}${continued}" bgcolor="${ground.background}" style="padding:${continued ? 0 : 28}px 20px 12px;background-color:${ground.background};font-family:${theme.font};font-size:${theme.bodySize}px;line-height:1.6;color:${ground.text};text-align:${start};word-break:break-word">
${content}</td></tr>
`,
  )
}

/** Whether the band above has the same background, whatever is shown. */
function isContinued(bands: readonly FilledBand[], at: number): boolean {
  const [before, above, band] = [bands[at - 2], bands[at - 1], bands[at]!]
  if (above?.background !== band.background) return false
  if (above.show === 'always') return true
  return before?.background === band.background && areAlternatives(before, above)
}

/** A promise that stood below no button, and the way to the cart that was left out, at the end. */
function closingHtml(mail: Compilation): Chunk[] {
  const { theme, start } = mail
  const ground = theme.grounds.card
  const place: Place = { background: 'card', ground, width: WIDTH - 2 * theme.padding }
  const row = (content: Chunk[]) =>
    chunk`<tr><td class="s bg-card" bgcolor="${ground.background}" style="padding:0 20px;background-color:${ground.background};font-family:${theme.font};font-size:${theme.bodySize}px;line-height:1.6;color:${ground.text};text-align:${start}">${content}</td></tr>
`
  const button = buttonHtml({ label: '', href: 'cart', isWide: false, style: 'solid', align: 'start' }, mail, place)
  return [
    { kind: 'lost_link', chunks: row(button) },
    ...(mail.kit.promise ? [{ kind: 'promise', chunks: row(promiseParagraph(mail, ground, 'start')) } as const] : []),
  ]
}

const promiseParagraph = (mail: Compilation, ground: Ground, align: 'start' | 'center'): Chunk[] => [
  `<p class="m" style="margin:0 0 24px;font-size:14px;line-height:1.5;text-align:${findSide(align, mail)};color:${ground.muted}">${escapeHtml(mail.kit.promise)}</p>`,
]

const findSide = (align: 'start' | 'center', { start }: Pick<Compilation, 'start'>) =>
  align === 'center' ? 'center' : start

function blockHtml(block: Block, mail: Compilation, place: Place): Chunk[] {
  if (block.type === 'columns') return showIf(block.show, columnsHtml(block, mail, place))
  return showIf(block.show, leafHtml(block, mail, place))
}

function leafHtml(block: Leaf, mail: Compilation, place: Place): Chunk[] {
  switch (block.type) {
    case 'heading':
      return headingHtml(block, mail, place)
    case 'text':
      return textHtml(block, mail, place)
    case 'image':
      return imageHtml(block, mail, place)
    case 'items':
      return [{ kind: 'items', ...itemsOptions(block), style: itemsStyle(mail, place) }]
    case 'totals':
      return totalsHtml(block, mail, place)
    case 'coupon':
      return couponHtml(block, mail, place)
    case 'button':
      return buttonHtml(block, mail, place)
    case 'product': {
      const label = block.label || say(mail, 'viewProduct')
      return [{ kind: 'product', id: block.productId, label, style: itemsStyle(mail, place) }]
    }
    case 'trust':
      return trustHtml(block, mail, place)
    case 'divider':
      return [
        `<table ${TABLE} width="100%" style="width:100%;margin:8px 0 28px"><tr><td class="l" style="border-top:1px solid ${place.ground.line};font-size:0;line-height:0">&nbsp;</td></tr></table>`,
      ]
    case 'spacer':
      return [`<div style="height:${block.size}px;line-height:${block.size}px;font-size:0">&nbsp;</div>`]
    case 'social':
      return socialHtml(block, mail, place)
    case 'legacy_text':
      return chunk`<div class="w">${{ kind: 'legacy_text', id: block.id }}</div>`
  }
}

type LeafBlock<Type extends Leaf['type']> = Extract<Leaf, { type: Type }>

const itemsStyle = ({ theme, direction }: Compilation, { ground, width }: Place): ItemsStyle => ({
  text: ground.text,
  muted: ground.muted,
  line: ground.line,
  soft: ground.soft,
  plate: ground.plate,
  link: ground.link,
  radius: theme.radius,
  weight: theme.itemWeight,
  width,
  direction,
})

function headingHtml({ level, align, inlines }: LeafBlock<'heading'>, mail: Compilation, { ground }: Place): Chunk[] {
  if (isBlank(inlines)) return []
  const { theme } = mail
  const font =
    level === 1
      ? `font-size:${theme.headingSize}px;line-height:${theme.headingLineHeight};letter-spacing:${theme.headingSpacing}${theme.hasCapitals ? ';text-transform:uppercase' : ''}`
      : 'font-size:22px;line-height:1.25'
  return showFilled(
    inlines,
    chunk`<h${level} class="h${level}" dir="auto" style="margin:0 0 ${level === 1 ? 20 : 12}px;font-family:${theme.headingFont};${font};font-weight:${theme.headingWeight};text-align:${findSide(align, mail)};color:${ground.text}">${inlineHtml(inlines, mail, ground)}</h${level}>
`,
  )
}

function textHtml({ size, align, inlines }: LeafBlock<'text'>, mail: Compilation, { ground }: Place): Chunk[] {
  if (isBlank(inlines)) return []
  const isMuted = size === 'small' || size === 'label'
  const px = { body: mail.theme.bodySize, lead: 19, small: 14, label: 13 }[size]
  const extra = size === 'label' ? ';letter-spacing:0.08em;text-transform:uppercase' : ''
  const paragraph = chunk`<p${isMuted ? ' class="m"' : ''} dir="auto" style="margin:0 0 ${size === 'label' ? 12 : 16}px;font-size:${px}px;line-height:1.6;text-align:${findSide(align, mail)};color:${isMuted ? ground.muted : ground.text}${extra}">${inlineHtml(inlines, mail, ground)}</p>
`
  // A narrower measure reads better when lines are centred.
  const isNarrow = align === 'center' && !isMuted
  return showFilled(
    inlines,
    isNarrow
      ? chunk`<table ${TABLE} align="center" width="400" class="c" style="width:400px;max-width:100%;margin:0 auto"><tr><td align="center">${paragraph}</td></tr></table>`
      : paragraph,
  )
}

function imageHtml(block: LeafBlock<'image'>, mail: Compilation, { ground, width }: Place): Chunk[] {
  const shown = Math.min(width, block.width)
  const alt = block.isDecorative ? '' : escapeHtml(cleanText(block.alt, 250))
  const picture = chunk`<img src="${{ kind: 'asset', name: block.asset }}" width="${shown}" alt="${alt}" style="display:block;width:100%;max-width:${shown}px;height:auto;border:0;border-radius:${mail.theme.radius}px;margin:0 0 20px;color:${ground.text};font-size:14px">`
  if (block.href === undefined) return picture
  const href = hrefChunk(block.href)
  return chunk`<a href="${isLiteral(href) ? escapeHtml(href) : href}" target="_blank" style="text-decoration:none">${picture}</a>`
}

function totalsHtml({ label, amount, hasBefore }: LeafBlock<'totals'>, mail: Compilation, { ground }: Place): Chunk[] {
  const { theme, end } = mail
  const line = theme.ruleWidth > 1 ? ground.text : ground.line
  const cell = `padding:16px 0;border-top:${theme.ruleWidth}px solid ${line};font-size:18px;line-height:1.4;font-weight:${theme.itemWeight === 400 ? 400 : 700}`
  const before: Chunk[] =
    hasBefore && amount === 'discounted_total'
      ? [
          {
            kind: 'if',
            when: 'total_changed',
            chunks: chunk`<s class="m" style="color:${ground.muted};font-weight:400">${{ kind: 'value', name: 'cart_total' }}</s> `,
          },
        ]
      : []
  const css = theme.ruleWidth > 1 ? 'lt' : 'l'
  return [
    {
      kind: 'if',
      when: `known:${amount}`,
      chunks: chunk`<table ${TABLE} width="100%" style="width:100%;margin:0 0 12px;border-collapse:separate"><tr><td class="${css}" style="${cell}">${escapeHtml(label || say(mail, 'total'))}</td><td class="${css}" align="${end}" style="${cell};text-align:${end};word-break:normal">${before}${{ kind: 'value', name: amount }}</td></tr></table>`,
    },
  ]
}

function couponHtml(block: LeafBlock<'coupon'>, mail: Compilation, { ground }: Place): Chunk[] {
  const { theme } = mail
  const value = (name: CouponValue): Chunk => ({ kind: 'value', name })
  const saving: Chunk = {
    kind: 'if',
    when: 'has:coupon_saving',
    chunks: chunk`<div style="font-size:15px;font-weight:600">${sayWith(mail, 'youSave', 'amount', [value('coupon_saving')], true)}</div>`,
  }
  const expiry: Chunk = {
    kind: 'if',
    when: 'has:coupon_expires',
    chunks: chunk`<div class="m" style="padding-top:6px;font-size:14px;color:${ground.muted}">${sayWith(mail, 'validUntil', 'date', [value('coupon_expires')], true)}</div>`,
  }
  const ownText = isBlank(block.inlines)
    ? []
    : showFilled(
        block.inlines,
        chunk`<div dir="auto" style="font-size:15px;line-height:1.5">${inlineHtml(block.inlines, mail, ground)}</div>`,
      )
  const { css, style } = couponFrame(mail, ground)
  return [
    {
      kind: 'if',
      when: 'with_coupon',
      chunks: chunk`<table ${TABLE} width="100%" style="width:100%;margin:8px 0 16px;border-collapse:separate"><tr><td class="${css}" align="center" style="padding:22px 16px;${style};color:${ground.text};text-align:center;word-break:break-word">${ownText}<div style="padding:4px 0;font-size:28px;line-height:1.3;font-weight:${theme.codeWeight};letter-spacing:${theme.codeSpacing}">${value('coupon_code')}</div>${block.hasSaving ? [saving] : []}${block.hasExpiry ? [expiry] : []}</td></tr></table>`,
    },
  ]
}

/** `css`: what dark mode changes. */
function couponFrame({ theme }: Compilation, ground: Ground): { css: string; style: string } {
  const corner = `border-radius:${theme.radius}px`
  switch (theme.couponShape) {
    case 'lines':
      return { css: 'l n', style: `border:solid ${ground.line};border-width:1px 0` }
    case 'field':
      return { css: 'sf n', style: `${corner};background-color:${ground.soft}` }
    case 'frame':
      return { css: 'lt n', style: `${corner};border:3px solid ${ground.text}` }
    case 'dashes':
      return { css: 'cd', style: `border:1px dashed ${ground.link};${corner};background-color:${ground.soft}` }
  }
}

type ButtonLook = Pick<LeafBlock<'button'>, 'label' | 'href' | 'isWide' | 'style' | 'align'>

/** The cell has the colour too, because some mail programs do not colour a link. */
function buttonHtml({ label, href, isWide, style, align }: ButtonLook, mail: Compilation, place: Place): Chunk[] {
  const { theme, kit } = mail
  const { ground, background } = place
  const isOutline = style === 'outline'
  const [fill, ink, edge] = isOutline
    ? [ground.background, ground.text, ground.text]
    : [ground.button, ground.onButton, ground.edge]
  const css = background === 'accent' || background === 'ink' ? 'bi' : isOutline ? 'bo' : 'b'
  const to = hrefChunk(href)
  const caption = label
    ? [escapeHtml(cleanRun(label))]
    : href === 'cart'
      ? linkLabel(mail, true)
      : [escapeHtml(say(mail, 'visitShop'))]
  const capitals = theme.hasCapitals ? ';text-transform:uppercase;letter-spacing:0.06em' : ''
  const promise: Chunk[] = kit.promise ? [{ kind: 'promise', chunks: promiseParagraph(mail, ground, align) }] : []
  return chunk`<table ${TABLE} width="100%" style="width:100%"><tr><td align="${findSide(align, mail)}" style="padding:12px 0 ${kit.promise ? 12 : 24}px"><table ${TABLE} class="${isWide ? '' : 'cta'}" width="100%" style="width:100%;border-collapse:separate"><tr><td class="${css}" align="center" bgcolor="${fill}" style="border-radius:${theme.buttonRadius}px;background-color:${fill};border:1px solid ${edge};mso-padding-alt:16px 32px"><a class="${css}a" href="${isLiteral(to) ? escapeHtml(to) : to}" target="_blank" style="display:block;padding:15px 32px;border-radius:${theme.buttonRadius}px;font-size:${theme.hasCapitals ? 16 : 17}px;line-height:1.35;font-weight:${theme.buttonWeight};color:${ink};text-align:center;text-decoration:none${capitals}">${caption}</a></td></tr></table></td></tr></table>${promise}`
}

const listAnswers = ({ points }: LeafBlock<'trust'>) =>
  listShownPoints(points.map(({ title, text }) => ({ title: cleanRun(title).trim(), text: cleanRun(text).trim() })))

function trustHtml(block: LeafBlock<'trust'>, mail: Compilation, { ground, width }: Place): Chunk[] {
  const { theme, start } = mail
  const written = listAnswers(block)
  if (written.length === 0) return []
  const title = (text: string, size: number, more = '') =>
    `<strong style="display:block;font-family:${theme.headingFont};font-size:${size}px;line-height:1.4${more};color:${ground.text}">${escapeHtml(text)}</strong>`
  const answer = (text: string) => `<span class="m" style="color:${ground.muted}">${escapeHtml(text)}</span>`
  const font = 'font-size:15px;line-height:1.5'
  switch (theme.answersShape) {
    case 'rows': {
      const line = `padding:14px 0;border-top:1px solid ${ground.line};${font};text-align:${start};vertical-align:top`
      const rows = written.map(
        (each) =>
          `<tr><td class="l" dir="auto" width="34%" style="width:34%;${line}">${title(each.title, 15, ';font-weight:400')}</td><td class="l" dir="auto" style="${line}">${answer(each.text)}</td></tr>`,
      )
      return [
        `<table ${TABLE} width="100%" style="width:100%;margin:8px 0 16px;border-collapse:separate">${rows.join('')}</table>`,
      ]
    }
    case 'stack': {
      const parts = written.map(
        (each) =>
          `<div dir="auto" style="margin:0 0 16px;font-size:${theme.bodySize}px;line-height:1.6;text-align:${start}">${title(each.title, theme.bodySize)}<span class="n" style="color:${ground.text}">${escapeHtml(each.text)}</span></div>`,
      )
      return [parts.join('')]
    }
    case 'columns':
    case 'ruled': {
      const isRuled = theme.answersShape === 'ruled'
      // A card is narrower than the mail where the window is.
      const share = Math.floor((width - (theme.isCard ? 40 : 0)) / written.length) - 1
      const [side, css, style] = isRuled
        ? [start, ' class="lt"', `padding:12px 0 0;border-top:${theme.ruleWidth}px solid ${ground.text}`]
        : ['center', '', 'padding:0']
      const heading = isRuled ? ';font-weight:900;text-transform:uppercase' : ''
      const cells = written.map((each, at) => {
        const gap = isRuled ? (at < written.length - 1 ? 14 : 0) : 10
        const around = isRuled
          ? mail.direction === 'ltr'
            ? `0 ${gap}px 18px 0`
            : `0 0 18px ${gap}px`
          : `0 ${gap}px 16px`
        return ghostCell(
          share,
          `<div class="q" style="padding:${around}"><div${css} dir="auto" style="${style};${font};text-align:${side}">${title(each.title, isRuled ? 16 : 18, heading)}${answer(each.text)}</div></div>`,
        )
      })
      return chunk`<div style="font-size:0;text-align:${side};padding:8px 0 4px">${ghostRow(width, cells)}</div>`
    }
  }
}

/** Cells beside each other that wrap on a phone; Outlook gets a table. */
const ghostRow = (width: number, cells: readonly Chunk[][]): Chunk[] =>
  chunk`<!--[if mso]><table ${TABLE} width="${width}"><tr><![endif]-->${joinChunks(cells)}<!--[if mso]></tr></table><![endif]-->`

const ghostCell = (width: number, content: string | Chunk[]): Chunk[] =>
  chunk`<!--[if mso]><td width="${width}" valign="top"><![endif]--><div class="c" style="display:inline-block;width:100%;max-width:${width}px;vertical-align:top">${content}</div><!--[if mso]></td><![endif]-->`

/** Between two columns, in px. */
const COLUMN_GAP = 10

export const SHARES = { '1-1': [0.5, 0.5], '1-2': [0.34, 0.66], '2-1': [0.66, 0.34] } as const

function columnsHtml(block: Extract<Block, { type: 'columns' }>, mail: Compilation, place: Place): Chunk[] {
  const columns = block.columns.map((leaves, at) => {
    const width = Math.floor(place.width * SHARES[block.split][at]!) - COLUMN_GAP
    const content = joinChunks(leaves.map((leaf) => blockHtml(leaf, mail, { ...place, width })))
    return ghostCell(
      width,
      chunk`<div style="padding:0 5px;font-size:${mail.theme.bodySize}px;text-align:${mail.start}">${content}</div>`,
    )
  })
  return chunk`<div style="font-size:0">${ghostRow(place.width, columns)}</div>`
}

function socialHtml({ align }: LeafBlock<'social'>, mail: Compilation, { ground }: Place): Chunk[] {
  const links = listSocial(mail.kit)
  if (links.length === 0) return []
  const anchors = links.map(
    ({ name, url }) =>
      `<a class="m" href="${escapeHtml(url)}" target="_blank" style="color:${ground.muted};text-decoration:underline">${name}</a>`,
  )
  return [
    `<p style="margin:0 0 16px;font-size:14px;text-align:${findSide(align, mail)}">${anchors.join(' &nbsp;·&nbsp; ')}</p>`,
  ]
}

function footerHtml(mail: Compilation): Chunk[] {
  const { document, kit, theme, start } = mail
  const align = theme.logoAlign === 'center' ? 'center' : start
  const link = (href: Chunk, label: string) =>
    chunk`<a href="${href}" target="_blank" style="color:${theme.pageMuted};text-decoration:underline">${escapeHtml(label)}</a>`
  const paragraph = (content: Chunk[]) => chunk`<p style="margin:0 0 14px">${content}</p>`
  const text = cleanText(document.footer.text, 300) || kit.footerWords
  const social = document.footer.hasSocial
    ? listSocial(kit).map(
        ({ name, url }, at) => chunk`${at > 0 ? ' &nbsp;·&nbsp; ' : ''}${link(escapeHtml(url), name)}`,
      )
    : []
  const store: Chunk[] = [{ kind: 'value', name: 'store_name' }]
  const preferences: Chunk = {
    kind: 'if',
    when: 'has_preferences',
    chunks: chunk` &nbsp;·&nbsp; ${link({ kind: 'field', name: 'preferences_link' }, say(mail, 'preferences'))}`,
  }
  return chunk`<tr><td class="foot" align="${align}" style="padding:24px 20px 0;font-family:${theme.font};font-size:13px;line-height:1.6;color:${theme.pageMuted};text-align:${align};word-break:break-word">
${text ? paragraph([escapeHtml(text)]) : []}${social.length > 0 ? paragraph(joinChunks(social)) : []}${paragraph([{ kind: 'field', name: 'sender' }])}
<p style="margin:0">${reasonChunks(mail, store, true)}<br>
${link({ kind: 'field', name: 'unsubscribe_link' }, say(mail, 'unsubscribe'))}${preferences}</p>
</td></tr>`
}

const reasonChunks = (mail: Compilation, store: Chunk[], isHtml: boolean): Chunk[] => [
  { kind: 'if', when: 'with_cart', chunks: sayWith(mail, 'reasonCart', 'store', store, isHtml) },
  { kind: 'if', when: 'without_cart', chunks: sayWith(mail, 'reasonPerson', 'store', store, isHtml) },
]

// Text

const compileText = (mail: Compilation): Chunk[] => {
  const bands = mail.document.bands.map(({ show, blocks }) =>
    showIf(show, joinChunks(blocks.map((block) => blockText(block, mail)))),
  )
  const { promise } = mail.kit
  return joinChunks([
    ...bands,
    [{ kind: 'lost_link', chunks: chunk`\n\n${linkLabel(mail, false)}:\n${{ kind: 'link', href: 'cart' }}\n\n` }],
    promise ? [{ kind: 'promise', chunks: [`\n\n${promise}\n\n`] }] : [],
  ])
}

function blockText(block: Block, mail: Compilation): Chunk[] {
  if (block.type === 'columns') {
    return showIf(block.show, joinChunks(block.columns.flat().map((leaf) => blockText(leaf, mail))))
  }
  return showIf(block.show, leafText(block, mail))
}

function leafText(block: Leaf, mail: Compilation): Chunk[] {
  switch (block.type) {
    case 'heading':
    case 'text':
      return isBlank(block.inlines) ? [] : showFilled(block.inlines, chunk`\n\n${inlineText(block.inlines, mail)}\n\n`)
    case 'image':
      return imageText(block)
    case 'items':
      return chunk`\n\n${{ kind: 'items', ...itemsOptions(block), style: null }}\n\n`
    case 'totals': {
      const label = block.label || say(mail, 'total')
      return [
        {
          kind: 'if',
          when: `known:${block.amount}`,
          chunks: chunk`\n${label.trim()}: ${{ kind: 'value', name: block.amount }}`,
        },
      ]
    }
    case 'coupon':
      return couponText(block, mail)
    case 'button':
      return buttonText(block, mail)
    case 'product':
      return chunk`\n\n${{ kind: 'product', id: block.productId, label: block.label || say(mail, 'viewProduct'), style: null }}\n\n`
    case 'trust': {
      const lines = listAnswers(block).map(({ title, text }) => [title, text].filter(Boolean).join(': '))
      return lines.length > 0 ? [`\n\n${lines.join('\n')}\n\n`] : []
    }
    case 'social': {
      const links = listSocial(mail.kit).map(({ name, url }) => `${name}: ${url}`)
      return links.length > 0 ? [`\n\n${links.join('\n')}\n\n`] : []
    }
    case 'legacy_text':
      return chunk`\n\n${{ kind: 'legacy_text', id: block.id }}\n\n`
    case 'divider':
    case 'spacer':
      return []
  }
}

function imageText({ alt, isDecorative, href }: LeafBlock<'image'>): Chunk[] {
  if (href === undefined || isDecorative) return []
  const to = hrefChunk(href)
  return chunk`\n\n${cleanText(alt, 250)}:\n${isLiteral(to) ? to.slice('mailto:'.length) : to}\n\n`
}

function couponText(block: LeafBlock<'coupon'>, mail: Compilation): Chunk[] {
  const value = (name: CouponValue): Chunk => ({ kind: 'value', name })
  const ownText = isBlank(block.inlines) ? [] : showFilled(block.inlines, chunk`${inlineText(block.inlines, mail)}\n`)
  const saving: Chunk[] = block.hasSaving
    ? [
        {
          kind: 'if',
          when: 'has:coupon_saving',
          chunks: chunk`\n${sayWith(mail, 'youSave', 'amount', [value('coupon_saving')], false)}`,
        },
      ]
    : []
  const expiry: Chunk[] = block.hasExpiry
    ? [
        {
          kind: 'if',
          when: 'has:coupon_expires',
          chunks: chunk` ${sayWith(mail, 'couponValidUntil', 'date', [value('coupon_expires')], false)}`,
        },
      ]
    : []
  const line = chunk`${say(mail, 'coupon')} ${value('coupon_code')}${expiry}`
  return [{ kind: 'if', when: 'with_coupon', chunks: chunk`\n\n${ownText}${line}${saving}\n\n` }]
}

function buttonText({ label, href }: LeafBlock<'button'>, mail: Compilation): Chunk[] {
  const caption = label ? [cleanRun(label).trim()] : href === 'cart' ? linkLabel(mail, false) : [say(mail, 'visitShop')]
  const to = hrefChunk(href)
  const { promise } = mail.kit
  const promised: Chunk[] = promise ? [{ kind: 'promise', chunks: [`\n${promise}\n\n`] }] : []
  return chunk`\n\n${caption}:\n${isLiteral(to) ? to.slice('mailto:'.length) : to}\n\n${promised}`
}

function compileTextFooter(mail: Compilation): Chunk[] {
  const { document, kit } = mail
  const text = cleanText(document.footer.text, 300) || kit.footerWords
  const preferences: Chunk = {
    kind: 'if',
    when: 'has_preferences',
    chunks: chunk`\n${say(mail, 'preferences')}: ${{ kind: 'field', name: 'preferences_link' }}`,
  }
  const store: Chunk[] = [{ kind: 'value', name: 'store_name' }]
  return chunk`\n\n--\n${text && `${text}\n`}${{ kind: 'field', name: 'sender' }}\n${reasonChunks(mail, store, false)}\n${say(mail, 'unsubscribe')}: ${{ kind: 'field', name: 'unsubscribe_link' }}${preferences}\n`
}

/** The owner's line, else the first words of the mail. */
function compilePreview(mail: Compilation): Chunk[] {
  const { document } = mail
  if (!isBlank(document.preview)) return showFilled(document.preview, inlineText(document.preview, mail))
  return joinChunks(
    document.bands.map(({ show, blocks }) =>
      showIf(
        show,
        joinChunks(
          blocks
            .filter(({ type }) => type === 'heading' || type === 'text' || type === 'legacy_text')
            .map((block) => blockText(block, mail)),
        ),
      ),
    ),
  )
}
