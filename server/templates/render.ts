// One message for one person from a compiled template. Pure: the caller brings every link, host and amount.
import { readFileSync } from 'node:fs'
import { encode } from 'html-entities'
import { compile as compileHtmlToText } from 'html-to-text'
import { Liquid, type Template } from 'liquidjs'
import type { Look } from '../../shared/palette.ts'
import { hasBlank, withoutBlankParagraphs, withoutBlankSentences } from './blanks.ts'
import { blocksHtml, blocksText, withoutBlocks } from './blocks.ts'
import { cleanBrand, DEFAULT_MAIL_BRAND } from './brand.ts'
import { BUTTON_MARKS, CartItems, type Compiler, createCompiler, ITEMS_MARK, LABEL_MARK } from './compile.ts'
import {
  cleanText,
  sampleContext,
  type TemplateContext,
  TemplateError,
  type TemplateSource,
  webAddress,
} from './context.ts'
import { named } from './errors.ts'
import { type CleanItem, cleanCoupon, cleanItems, imageAddress, type ShownCart } from './items.ts'
import { sanitizeHtml } from './sanitize.ts'
import { tidyLines } from './scan.ts'

export interface RenderOptions {
  /** Hosts (with port, if any) the platform reports for this store: links there are tracked, pictures may come from there. */
  storeHosts: string[]
  /** The tracked form of a link, or null to leave it as it is. Asked once per link and message. */
  trackLink(url: string): string | null
}

export interface RenderedMessage {
  subject: string
  html: string
  text: string
  headers: Record<string, string>
  /** Every web link of the owner's text, in order, with what became of it. */
  links: { url: string; trackedUrl: string | null }[]
  /** What was left out, as it names of the coupon what there is not. */
  leftOut: { isSubject: boolean; paragraphs: string[] }
}

export interface TemplateRenderer {
  /** Throws a TemplateError that says what is wrong. */
  render(source: TemplateSource, context: TemplateContext, options: RenderOptions): RenderedMessage
  /** The body alone as plain text, for channels that have nothing else. Throws a TemplateError. */
  text(source: TemplateSource, context: TemplateContext): string
  /** Does this text become a message, with and without a discount? The error, or null. For saving and for decisions. */
  check(text: { subject: string; body: string }): TemplateError | null
  /** The same of what is a text alone. */
  checkText(body: string): TemplateError | null
}

/** Mail readers cut longer messages off, and the unsubscribe link with it. */
const MAX_HTML_BYTES = 100_000
const MAX_SUBJECT = 150

/** Reads the layout once; keep one renderer per process. */
export function createTemplateRenderer(): TemplateRenderer {
  const compiler = createCompiler()
  const layout = readLayout()
  const toText = compileHtmlToText({
    wordwrap: false,
    selectors: [
      { selector: 'a', options: { linkBrackets: false, hideLinkHrefIfSameAsText: true } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  })
  const render: TemplateRenderer['render'] = (source, context, options) =>
    renderWith({ compiler, layout, toText }, source, context, options)
  const text: TemplateRenderer['text'] = (source, context) => renderText({ compiler, toText }, source, context)
  const options = { storeHosts: [], trackLink: () => null }
  return {
    render,
    text,
    check: (words) => check((context) => render({ ...draft, ...words }, context, options)),
    checkText: (body) => check((context) => text({ ...draft, subject: '-', body }, context)),
  }
}

/** What ten segments of an SMS hold, in the narrower of its alphabets twice over; nobody reads more on a phone. */
const MAX_TEXT = 1_600

function renderText(
  { compiler, toText }: Pick<Tools, 'compiler' | 'toText'>,
  source: TemplateSource,
  context: TemplateContext,
) {
  const values = cleanContext(context, new Set())
  const { subject: template } = compiler.compile(
    { ...source, id: `${source.id} as text`, subject: source.body, body: '' },
    'message',
  )
  const filled = fill(compiler.text, template, values, 'message')
  const plain = /<\/?[a-z][a-z0-9]*(\s[^<>]*)?\/?>/i.test(source.body) ? toText(filled) : filled
  const text = tidyLines(withLink(withoutBlankSentences(plain), plain, values.checkoutLink))
  if (!text) throw emptyBody(hasBlank(plain))
  if (text.length > MAX_TEXT) {
    throw new TemplateError('too_large', `A text message holds at most ${MAX_TEXT} characters.`)
  }
  if (/\{\{|\{%/.test(text)) {
    throw new TemplateError(
      'leftover_placeholder',
      'The message still contains {{ or {% after its variables were filled in.',
    )
  }
  return text
}

/** The way back stays, also where it stood in what was left out. */
const withLink = (text: string, before: string, link: string): string =>
  text.trim() && before.includes(link) && !text.includes(link) ? `${text}\n${link}` : text

const emptyBody = (isLeftOut: boolean): TemplateError =>
  isLeftOut
    ? new TemplateError(
        'nothing_left',
        'Nothing is left of the message: all of it names of the coupon what this message does not have.',
      )
    : new TemplateError('empty_body', 'The message is empty.')

interface Tools {
  compiler: Compiler
  layout: (look: Look, values: object) => string
  toText: (html: string) => string
}

function renderWith(tools: Tools, source: TemplateSource, context: TemplateContext, options: RenderOptions) {
  const values = cleanContext(context, new Set(options.storeHosts))
  const { compiler } = tools
  const template = compiler.compile(source)
  const filled = fill(compiler.text, template.subject, values, 'subject')
  const subject = cleanText(hasBlank(filled) ? subjectInstead(values) : filled, MAX_SUBJECT)
  if (!subject) throw new TemplateError('empty_subject', 'The subject is empty.')
  const body = fill(compiler.html, template.body, values, 'message')
  if (body.length > MAX_HTML_BYTES) throw tooLarge()
  const links: RenderedMessage['links'] = []
  const rules = linkRules(values, options, links)
  const { html: clean, leftOut } = contentOf(body, rules, values)
  const content = clean.replaceAll(LABEL_MARK, values.linkLabel)
  const plain = tools.toText(content)
  if (!plain.trim()) throw emptyBody(leftOut.length > 0)
  const text = textPart(plain, values)
  const html = tools.layout(
    values.brand.look,
    shownInLayout(values, { subject, plain, content, link: rules.checkoutLink() }),
  )
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) throw tooLarge()
  if ([subject, html, text].some((part) => /\{\{|\{%/.test(part))) {
    throw new TemplateError(
      'leftover_placeholder',
      'The message still contains {{ or {% after its variables were filled in.',
    )
  }
  return {
    ...{ subject, html, text, links, headers: unsubscribeHeaders(values.footer.unsubscribeLink) },
    leftOut: { isSubject: hasBlank(filled), paragraphs: leftOut },
  }
}

/** In place of one that names of the coupon what there is not. */
function subjectInstead({ coupon, isWithoutCart, footer: { storeName } }: Values): string {
  if (coupon) return `A coupon for you at ${storeName}`
  return isWithoutCart ? `A message from ${storeName}` : `Your cart at ${storeName}`
}

/** The way back stays, also where it stood in what was left out. */
function contentOf(body: string, rules: ReturnType<typeof linkRules>, { checkoutLink }: Values) {
  const before = sanitizeHtml(body, rules)
  const { html, leftOut } = withoutBlankParagraphs(before)
  if (leftOut.length === 0) return { html: unwrapItems(html), leftOut }
  const href = `href="${encode(rules.checkoutLink())}"`
  const isLinkLost = before.includes(href) && !html.includes(href)
  const button = `<a class="button block" href="${encode(checkoutLink)}">${LABEL_MARK}</a>`
  return { html: unwrapItems(isLinkLost ? html + BUTTON_MARKS.join(sanitizeHtml(button, rules)) : html), leftOut }
}

function shownInLayout(
  values: Values,
  { subject, plain, content, link }: Record<'subject' | 'plain' | 'content' | 'link', string>,
) {
  const { look, promise, ...brand } = values.brand
  return {
    ...values.footer,
    ...values.trackers,
    ...brand,
    isDarkByDay: look.isDarkByDay,
    homeLink: link,
    subject,
    preview: cleanText(withoutBlocks(plain), 120),
    content: blocksHtml(content, { cart: cartOf(values), look, link, promise }),
  }
}

type Values = ReturnType<typeof cleanContext>

function cleanContext(context: TemplateContext, storeHosts: ReadonlySet<string>) {
  const items = cleanItems(context.items, storeHosts)
  const senderName = cleanText(context.senderName, 100)
  const addressLines = cleanLines(context.postalAddress)
  if (!senderName || addressLines.length === 0) {
    throw new TemplateError('sender_missing', "The sender's name or postal address is missing.")
  }
  const storeName = cleanText(context.storeName, 100)
  return {
    items,
    storeHosts,
    brand: cleanBrand(context.brand ?? DEFAULT_MAIL_BRAND, storeName),
    checkoutLink: requiredLink(context.checkoutLink, 'checkout'),
    coupon: context.coupon && cleanCoupon(context.coupon),
    entered: context.entered ? cleanCoupon(context.entered) : null,
    customerName: cleanText(context.customerName, 80) || 'there',
    cartTotal: cleanText(context.cartTotal, 40),
    trackers: {
      honeypotLink: context.trackers ? requiredLink(context.trackers.honeypotLink, 'honeypot') : null,
      pixelUrl: context.trackers ? requiredLink(context.trackers.pixelUrl, 'pixel') : null,
    },
    isWithoutCart: context.isWithoutCart === true,
    linkLabel: context.isWithoutCart ? 'Visit the shop' : 'Return to your cart',
    footer: {
      why: context.isWithoutCart ? WHY_PERSON : WHY_CART,
      storeName,
      senderName,
      addressLines: withoutName(addressLines, senderName),
      unsubscribeLink: requiredLink(context.unsubscribeLink, 'unsubscribe'),
      preferencesLink: context.preferencesLink ? requiredLink(context.preferencesLink, 'preferences') : null,
    },
  }
}

/** What a mail lists of it. */
const cartOf = ({ items, coupon, entered, cartTotal }: Values): ShownCart => ({
  ...{ items, cartTotal },
  coupon: coupon ?? entered,
})

/** An address as it was entered, line by line. */
const cleanLines = (text: string): string[] =>
  text
    .slice(0, MAX_ADDRESS)
    .split(/\r\n|\r|\n/)
    .map((line) => cleanText(line, 250))
    .filter((line) => line !== '')
    .slice(0, MAX_ADDRESS_LINES)

/** The sender's name stands above it: an address that begins with it does not say it again. */
function withoutName([first = '', ...others]: readonly string[], name: string): string[] {
  const isNamed = first.slice(0, name.length).toLowerCase() === name.toLowerCase()
  const rest = isNamed ? first.slice(name.length) : first
  // "Maple" is no part of "Maple Street 1".
  if (!isNamed || !/^\s*([,;:|·–—-]|$)/.test(rest)) return [first, ...others]
  const left = [rest.replace(/^[\s,;:|·–—-]+/, ''), ...others].filter(Boolean)
  return left.length > 0 ? left : [first]
}

const MAX_ADDRESS = 1_000
const MAX_ADDRESS_LINES = 8

function requiredLink(text: string, name: string): string {
  const url = webAddress(text)
  if (!url) throw new TemplateError('invalid_link', `The ${name} link is not a web address.`)
  return url
}

/** The limit is one of time, and a busy machine lets it pass in the middle of nothing: no message is lost to that. */
const ATTEMPTS = 3

function fill(liquid: Liquid, template: Template[], values: Values, part: string): string {
  for (let attempt = 1; ; attempt++) {
    try {
      return liquid.renderSync(template, {
        customer_name: values.customerName,
        cart_items: CartItems.from(values.items, forLoops),
        cart_total: values.cartTotal,
        checkout_link: values.checkoutLink,
        store_name: values.footer.storeName,
        discounted_total: (values.coupon ?? values.entered)?.total ?? values.cartTotal,
        coupon_code: values.coupon?.code ?? null,
        // Empty is as good as none, and `if` takes an empty text for something.
        coupon_amount: values.coupon?.amount || null,
        coupon_offer: values.coupon?.offer ?? null,
        coupon_minimum: values.coupon?.minimum ?? null,
        coupon_expires: values.coupon?.expires ?? null,
      }) as string
    } catch (error) {
      if (attempt === ATTEMPTS || !isOutOfTime(error)) throw named(error, part)
    }
  }
}

const isOutOfTime = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('template render limit exceeded')

function forLoops({ name, quantity, unitPrice, lineTotal }: CleanItem) {
  return { name, quantity, price: unitPrice, total: lineTotal }
}

/** A table inside a paragraph is no HTML: mail readers would close the paragraph and leave a gap. */
function unwrapItems(content: string): string {
  return content
    .replace(/<p(?: [^<>]*)?>\s*\ue000\s*<\/p>/g, ITEMS_MARK)
    .replace(/<p(?: [^<>]*)?>(\s|&nbsp;)*<\/p>/g, '')
}

function linkRules(values: Values, { trackLink }: RenderOptions, links: RenderedMessage['links']) {
  const known = new Map<string, string>()
  const { light, radius } = values.brand.look
  const button = `border-radius:${radius}px;background-color:${light.button};color:${light.onButton};border:1px solid ${light.edge};font-weight:600;text-align:center;text-decoration:none`
  return {
    button: {
      inline: `display:inline-block;padding:14px 28px;${button}`,
      block: `display:block;padding:16px 20px;font-size:17px;line-height:1.35;${button}`,
    },
    /** What the layout itself leads to; it is none of the owner's links. */
    checkoutLink: () => known.get(values.checkoutLink) ?? trackLink(values.checkoutLink) ?? values.checkoutLink,
    link(text: string): string | null {
      const url = webAddress(text)
      if (!url) return null
      const seen = known.get(url)
      if (seen) return seen
      const isOurs = url === values.checkoutLink || values.storeHosts.has(new URL(url).host)
      const trackedUrl = isOurs ? trackLink(url) : null
      links.push({ url, trackedUrl })
      known.set(url, trackedUrl ?? url)
      return trackedUrl ?? url
    },
    linkText: (text: string) => (webAddress(text) === values.checkoutLink ? values.linkLabel : text),
    isImageAllowed: (text: string) => imageAddress(text, values.storeHosts) !== null,
  }
}

const WHY_CART = 'You received this email because you left items in your cart at'
const WHY_PERSON = 'You received this email because you gave your email address to'

function textPart(plain: string, values: Values): string {
  const { footer, brand } = values
  const { why, storeName, senderName, addressLines, unsubscribeLink, preferencesLink } = footer
  const words = tidyLines(blocksText(plain, { cart: cartOf(values), promise: brand.promise }))
  const sender = [senderName, ...addressLines].join(addressLines.length > 1 ? '\n' : ', ')
  const preferences = preferencesLink ? `\nEmail preferences: ${preferencesLink}` : ''
  const kind = brand.footerWords && `${brand.footerWords}\n`
  return `${words}\n\n--\n${kind}${sender}\n${why} ${storeName}.\nUnsubscribe: ${unsubscribeLink}${preferences}\n`
}

/** RFC 8058: one click in the mail reader's own button unsubscribes. */
function unsubscribeHeaders(link: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${link}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** The colours are filled in once per look: a batch of messages has one. */
function readLayout(): Tools['layout'] {
  const liquid = new Liquid({ outputEscape: 'escape', strictVariables: true, strictFilters: true, templates: {} })
  const source = readFileSync(new URL('./layouts/mail.liquid', import.meta.url), 'utf8')
  const parsed = new WeakMap<Look, Template[]>()
  return (look, values) => {
    const template = parsed.get(look) ?? liquid.parse(coloured(source, look))
    parsed.set(look, template)
    return liquid.renderSync(template, values) as string
  }
}

function coloured(source: string, { light, dark, font, radius }: Look): string {
  const sizes = { font, radius: String(radius), cardRadius: String(radius && radius + 8) }
  const words = { ...prefixed('light', { ...light }), ...prefixed('dark', { ...dark }), ...prefixed('look', sizes) }
  return source.replace(/\{\{ (\w+\.\w+) \}\}/g, (place, name: string) => words[name] ?? place)
}

const prefixed = (prefix: string, parts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [`${prefix}.${name}`, value]))

function tooLarge(): TemplateError {
  return new TemplateError('too_large', 'The message is larger than email apps show in full (100 KB).')
}

const draft = { id: 'draft', version: 0 }

/** With a discount and without. Words that are all about a coupon are for messages that have one. */
function check(render: (context: TemplateContext) => unknown): TemplateError | null {
  try {
    for (const changes of [{}, { coupon: null }]) render(sampleContext(changes))
    return null
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return error.code === 'nothing_left' ? null : error
  }
}
