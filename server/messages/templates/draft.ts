// Fills an owner's text with a shopper's values and cleans it. Pure.
import { decode, encode } from 'html-entities'
import type { Liquid, Template } from 'liquidjs'
import { getCopy } from '../../../shared/messages/copy/copy.ts'
import { MAX_HTML_BYTES, MAX_TRACKED } from '../../../shared/messages/mail-fill.ts'
import type { MailItem, MailLink } from '../../../shared/messages/mail-values.ts'
import type { ShopTheme } from '../../../shared/messages/palette.ts'
import { removeBlankParagraphs } from './blanks.ts'
import { BUTTON_MARKS, CartItems, type Compiler, ITEMS_MARK, LABEL_MARK, type TextKey } from './compile.ts'
import { parseWebAddress } from './context.ts'
import { tooLargeError, toTemplateError } from './errors.ts'
import { type CleanValues, cleanImageUrl } from './values.ts'

/** An owner's text as HTML and as text. Marks stand for items, rows and buttons. */
export interface Draft {
  content: string
  plain: string
  /** Every web link of the text in order, with its result. */
  links: MailLink[]
  /** Target of the items. */
  cartLink: string
  /** Paragraphs omitted because they name a missing coupon value. */
  leftOut: string[]
}

export interface DraftTools {
  compiler: Compiler
  toText: (html: string) => string
}

/** What the values are shown with. */
export interface DraftStyle {
  look: ShopTheme
  /** BCP 47. */
  locale: string
}

/** The tracked form of a link, or null to keep it. Called once per link and text. */
export type TrackLink = (url: string) => string | null

/** Throws a TemplateError. The result may be empty. */
export function createDraft(
  { compiler, toText }: DraftTools,
  { key, text }: { key: TextKey; text: string },
  { values, style, trackLink }: { values: CleanValues; style: DraftStyle; trackLink: TrackLink },
): Draft {
  const filled = fill(compiler.html, compiler.parseBody(key, text), values, { locale: style.locale, part: 'message' })
  if (filled.length > MAX_HTML_BYTES) throw tooLargeError()
  const links: MailLink[] = []
  const rules = createLinkRules(values, style, trackLink, links)
  const sanitized = sanitizeHtml(filled, rules)
  const { html, leftOut } = buildContent(sanitized, rules, values)
  const content = html.replaceAll(LABEL_MARK, linkLabel(values, style))
  return { content, plain: toText(content), links, cartLink: rules.cartLink(), leftOut }
}

const linkLabel = ({ isWithoutCart }: CleanValues, { locale }: DraftStyle): string =>
  getCopy(isWithoutCart ? 'visitShop' : 'returnToCart', locale)

/** Keeps the checkout link, even when its paragraph was removed. */
function buildContent(sanitized: string, rules: ReturnType<typeof createLinkRules>, { checkoutLink }: CleanValues) {
  const { html, leftOut } = removeBlankParagraphs(sanitized)
  if (leftOut.length === 0) return { html: unwrapItems(html), leftOut }
  const href = `href="${encode(rules.cartLink())}"`
  const isLinkLost = sanitized.includes(href) && !html.includes(href)
  const button = `<a class="button block" href="${encode(checkoutLink)}">${LABEL_MARK}</a>`
  return { html: unwrapItems(isLinkLost ? html + BUTTON_MARKS.join(sanitizeHtml(button, rules)) : html), leftOut }
}

/** Liquid's limit is wall-clock time, which a busy machine can exceed at any point. A retry keeps the message. */
const ATTEMPTS = 3

export function fill(
  liquid: Liquid,
  template: Template[],
  values: CleanValues,
  { locale, part }: { locale: string; part: string },
): string {
  const soldOut = getCopy('soldOut', locale)
  for (let attempt = 1; ; attempt++) {
    try {
      return liquid.renderSync(template, {
        customer_name: values.customerName || getCopy('there', locale),
        cart_items: CartItems.from(values.items, (item) => toLoopItem(item, soldOut)),
        cart_total: values.cartTotal,
        checkout_link: values.checkoutLink,
        store_name: values.storeName,
        discounted_total: (values.coupon ?? values.entered)?.total ?? values.cartTotal,
        coupon_code: values.coupon?.code ?? null,
        // An empty value becomes null, because Liquid's `if` treats an empty text as true.
        coupon_amount: values.coupon?.amount || null,
        coupon_offer: values.coupon?.offer ?? null,
        coupon_minimum: values.coupon?.minimum ?? null,
        coupon_expires: values.coupon?.expires ?? null,
      }) as string
    } catch (error) {
      if (attempt === ATTEMPTS || !isOutOfTime(error)) throw toTemplateError(error, part)
    }
  }
}

const isOutOfTime = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('template render limit exceeded')

function toLoopItem({ name, quantity, unitPrice, lineTotal, isGone }: MailItem, soldOut: string) {
  return { name, quantity, price: isGone ? soldOut : unitPrice, total: isGone ? soldOut : lineTotal }
}

/** A table inside a paragraph is invalid HTML: mail programs would close the paragraph and leave a gap. */
function unwrapItems(content: string): string {
  return content
    .replace(/<p(?: [^<>]*)?>\s*\ue000\s*<\/p>/g, ITEMS_MARK)
    .replace(/<p(?: [^<>]*)?>(\s|&nbsp;)*<\/p>/g, '')
}

function createLinkRules(values: CleanValues, style: DraftStyle, trackLink: TrackLink, links: MailLink[]) {
  const known = new Map<string, string>()
  const { light, radius } = style.look
  const button = `border-radius:${radius}px;background-color:${light.button};color:${light.onButton};border:1px solid ${light.edge};font-weight:600;text-align:center;text-decoration:none`
  return {
    button: {
      inline: `display:inline-block;padding:14px 28px;${button}`,
      block: `display:block;padding:16px 20px;font-size:17px;line-height:1.35;${button}`,
    },
    /** The checkout link where it is not one of the owner's links. */
    cartLink: () => known.get(values.checkoutLink) ?? trackLink(values.checkoutLink) ?? values.checkoutLink,
    link(text: string): string | null {
      const url = parseWebAddress(text)
      if (!url) return null
      const cached = known.get(url)
      if (cached) return cached
      const isTracked =
        url === values.checkoutLink || (url.length <= MAX_TRACKED && values.storeHosts.has(new URL(url).host))
      const trackedUrl = isTracked ? trackLink(url) : null
      links.push({ url, trackedUrl })
      known.set(url, trackedUrl ?? url)
      return trackedUrl ?? url
    },
    linkText: (text: string) => (parseWebAddress(text) === values.checkoutLink ? linkLabel(values, style) : text),
    isImageAllowed: (text: string) => cleanImageUrl(text, values.storeHosts) !== null,
  }
}

// Reduces an owner's HTML, filled with a shopper's data, to what a mail may contain: known tags and attributes,
// balanced (it cannot close the layout's table), with links and pictures decided by the caller. Anything else becomes
// text.

interface SanitizeRules {
  /** The URL for a link, or null to remove the link; called for web addresses only. */
  link(url: string): string | null
  isImageAllowed(url: string): boolean
  /** The label for a bare URL in text. */
  linkText(url: string): string
  /** Styles of a link with class `button`; `block`: when it stands alone. */
  button: Record<'inline' | 'block', string>
}

const VOID = new Set(['br', 'hr', 'img'])
const ALLOWED = new Set(
  `a b big blockquote br center code del div em font h1 h2 h3 h4 h5 h6 hr i img ins li ol p pre s small span strike
  strong sub sup table tbody td tfoot th thead tr u ul`.split(/\s+/),
)
/** Elements whose content is not visible text. */
const DROPPED_WHOLE = new Set(
  'script style title iframe object embed applet svg math template noscript textarea select xmp noembed noframes audio video'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(
  `align alt bgcolor border cellpadding cellspacing color colspan dir height lang rowspan size start style title type
  valign width`.split(/\s+/),
)
const STYLES =
  /^(background|background-color|border(-[a-z]+){0,2}|color|display|font(-[a-z]+)?|height|letter-spacing|line-height|list-style(-type)?|margin(-[a-z]+)?|max-width|min-width|padding(-[a-z]+)?|text-[a-z]+|vertical-align|white-space|width|word-break)$/
const BAD_STYLE = /url\s*\(|expression|javascript:|@|\\|[<>"{}]/i

/** Inline, because some mail programs drop style sheets. */
const DEFAULT_STYLE: Record<string, string> = {
  p: 'margin:0 0 16px',
  h1: 'margin:0 0 20px;font-size:28px;line-height:1.2;letter-spacing:-0.01em',
  h2: 'margin:0 0 12px;font-size:21px;line-height:1.3',
  h3: 'margin:0 0 12px;font-size:18px;line-height:1.35',
  ul: 'margin:0 0 16px;padding-left:24px',
  ol: 'margin:0 0 16px;padding-left:24px',
  img: 'max-width:100%;height:auto;border:0',
  hr: 'border:0;border-top:1px solid #d8dee6;margin:24px 0',
}

/** Deeper nesting is an attack on later tree walks. */
const MAX_DEPTH = 60

const TAG_START = /[a-z][a-z0-9]*/iy
const ATTRIBUTE = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y

interface Tag {
  name: string
  attributes: Map<string, string>
  /** Position after the tag. */
  end: number
}

export function sanitizeHtml(source: string, rules: SanitizeRules): string {
  const open: string[] = []
  let out = ''
  let at = 0
  while (at < source.length) {
    const start = source.indexOf('<', at)
    out += cleanInline(source.slice(at, start < 0 ? source.length : start), open, rules)
    if (start < 0) break
    if (source.startsWith('<!--', start)) at = findAfter(source, '-->', start + 4)
    else if (/[!?]/.test(source[start + 1] ?? '')) at = findAfter(source, '>', start + 2)
    else if (source[start + 1] === '/') {
      const name = readName(source, start + 2)
      out += name ? closeTag(name, open) : ''
      at = findAfter(source, '>', start + 2)
    } else {
      const tag = readTag(source, start)
      if (!tag) out += '&lt;'
      else if (ALLOWED.has(tag.name)) out += openTag(tag, open, rules)
      at = tag ? (DROPPED_WHOLE.has(tag.name) ? findElementEnd(source, tag) : tag.end) : start + 1
    }
  }
  return (
    out +
    open
      .reverse()
      .map((name) => `</${name}>`)
      .join('')
  )
}

function findAfter(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from)
  return found < 0 ? source.length : found + mark.length
}

function findElementEnd(source: string, { name, end }: Tag): number {
  const close = new RegExp(`</${name}\\b`, 'gi')
  close.lastIndex = end
  const found = close.exec(source)
  return found ? findAfter(source, '>', found.index) : source.length
}

function readName(source: string, at: number): string | null {
  TAG_START.lastIndex = at
  return TAG_START.exec(source)?.[0].toLowerCase() ?? null
}

function readTag(source: string, start: number): Tag | null {
  const name = readName(source, start + 1)
  if (!name) return null
  const attributes = new Map<string, string>()
  let at = start + 1 + name.length
  for (;;) {
    ATTRIBUTE.lastIndex = at
    const match = ATTRIBUTE.exec(source)
    if (!match) break
    at = ATTRIBUTE.lastIndex
    const key = match[1]!.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, decode(match[2] ?? match[3] ?? match[4] ?? ''))
  }
  return { name, attributes, end: findAfter(source, '>', at) }
}

function openTag({ name, attributes }: Tag, open: string[], rules: SanitizeRules): string {
  if (name === 'img' && !rules.isImageAllowed(attributes.get('src') ?? '')) return ''
  let out = ''
  // As in browsers, a nested link or paragraph ends the outer one.
  if ((name === 'a' || name === 'p') && open.includes(name)) out += closeTag(name, open)
  if (open.length >= MAX_DEPTH) return out
  out += `<${name}`
  if (name === 'a') out += linkAttributes(attributes, rules)
  if (name === 'img') out += attribute('src', attributes.get('src')!) + (attributes.has('alt') ? '' : ' alt=""')
  for (const [key, value] of attributes) {
    if (key !== 'style' && ATTRIBUTES.has(key)) out += attribute(key, value.slice(0, 500))
  }
  const classes = name === 'a' ? (attributes.get('class') ?? '').split(/\s+/) : []
  const isButton = classes.includes('button')
  const button = rules.button[classes.includes('block') ? 'block' : 'inline']
  const style = safeStyle(attributes.get('style') ?? '') || (isButton ? button : DEFAULT_STYLE[name])
  if (isButton) out += ' class="button"'
  if (style) out += attribute('style', style)
  if (!VOID.has(name)) open.push(name)
  return `${out}>`
}

function closeTag(name: string, open: string[]): string {
  const at = open.lastIndexOf(name)
  return at < 0
    ? ''
    : open
        .splice(at)
        .reverse()
        .map((each) => `</${each}>`)
        .join('')
}

function attribute(key: string, value: string): string {
  return ` ${key}="${encode(value.replace(/[\ue000-\uf8ff]/g, ''))}"`
}

function safeStyle(style: string): string {
  const result = style
    .slice(0, 2_000)
    .split(';')
    .filter((declaration) => {
      const colon = declaration.indexOf(':')
      return colon > 0 && STYLES.test(declaration.slice(0, colon).trim().toLowerCase()) && !BAD_STYLE.test(declaration)
    })
  return result.map((declaration) => declaration.trim()).join(';')
}

function linkAttributes(attributes: Map<string, string>, rules: SanitizeRules): string {
  const href = safeHref(attributes.get('href') ?? '', rules)
  return href === null ? '' : `${attribute('href', href)} target="_blank"`
}

function safeHref(text: string, rules: SanitizeRules): string | null {
  // Browsers ignore white space and control characters in a scheme ("java\nscript:"). Our marks are not part of an
  // address.
  const href = text.replace(/[\p{Cc}\p{Co}\s]/gu, '')
  if (/^#[\w-]*$/.test(href)) return href
  if (/^(mailto|tel):/i.test(href)) return href.slice(0, 500)
  if (href.startsWith('//')) return rules.link(`https:${href}`)
  return /^https?:\/\//i.test(href) ? rules.link(href) : null
}

const BARE_LINK = /https?:\/\/[^\s<>"']+/gi

function cleanInline(text: string, open: string[], rules: SanitizeRules): string {
  const safe = text.replaceAll('>', '&gt;')
  if (open.includes('a') || !safe.includes('://')) return safe
  return safe.replace(BARE_LINK, (match) => {
    const end = findLinkEnd(match)
    const ending = match.slice(end)
    const url = decode(match.slice(0, end))
    const href = rules.link(url)
    return href === null
      ? match
      : `<a${attribute('href', href)} target="_blank">${encode(rules.linkText(url))}</a>${ending}`
  })
}

/** Excludes punctuation that closes the sentence or parenthesis around an address. */
function findLinkEnd(text: string): number {
  let end = text.length
  for (;;) {
    if (text.endsWith('&gt;', end)) end -= '&gt;'.length
    else if (end > 0 && '.,;:!?)]'.includes(text[end - 1]!)) end -= 1
    else return end
  }
}
