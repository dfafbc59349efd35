// Fills an owner's text with a shopper's values and cleans it, before the layout is added. Pure.
import { encode } from 'html-entities'
import type { Liquid, Template } from 'liquidjs'
import { hasBlank, removeBlankParagraphs } from './blanks.ts'
import { BUTTON_MARKS, CartItems, type Compiler, ITEMS_MARK, LABEL_MARK } from './compile.ts'
import { cleanText, TemplateError, type TemplateSource, webAddress } from './context.ts'
import { toTemplateError } from './errors.ts'
import { type CleanItem, cleanImageUrl } from './items.ts'
import { sanitizeHtml } from './sanitize.ts'
import type { Values } from './values.ts'

export interface Draft {
  /** Filled subject, and as shown. */
  filledSubject: string
  subject: string
  /**
   * The body in three stages: filled, sanitised, and without blank paragraphs; and the last one as text. Marks stand
   * for items, rows and buttons.
   */
  filled: string
  sanitized: string
  content: string
  plain: string
  /** Every web link of the owner's text in order, with its result. */
  links: { url: string; trackedUrl: string | null }[]
  /** Targets of the layout's own links. */
  homeLink: string
  /** Text omitted because it names a missing coupon value. */
  leftOut: { isSubject: boolean; paragraphs: string[] }
}

export interface DraftTools {
  compiler: Compiler
  toText: (html: string) => string
}

/** The tracked form of a link, or null to keep it. Called once per link and message. */
type TrackLink = (url: string) => string | null

/** Mail programs clip longer messages, and the unsubscribe link with them. */
export const MAX_HTML_BYTES = 100_000
const MAX_SUBJECT = 150
/** A tracked link contains its target, and some mail programs open no link of more than 2,000 characters. */
const MAX_TRACKED = 1_000

/** Throws a TemplateError. */
export function createDraft(
  { compiler, toText }: DraftTools,
  source: TemplateSource,
  values: Values,
  trackLink: TrackLink,
): Draft {
  const template = compiler.compile(source)
  const filledSubject = fill(compiler.text, template.subject, values, 'subject')
  const subject = cleanSubject(filledSubject, values)
  if (!subject) throw new TemplateError('empty_subject', 'The subject is empty.')
  const filled = fill(compiler.html, template.body, values, 'message')
  if (filled.length > MAX_HTML_BYTES) throw tooLargeError()
  const links: Draft['links'] = []
  const rules = createLinkRules(values, trackLink, links)
  const sanitized = sanitizeHtml(filled, rules)
  const { html: clean, leftOut: paragraphs } = buildContent(sanitized, rules, values)
  const content = clean.replaceAll(LABEL_MARK, values.linkLabel)
  const plain = toText(content)
  if (!plain.trim()) throw emptyBodyError(paragraphs.length > 0)
  return {
    ...{ filledSubject, subject, filled, sanitized, content, plain, links },
    homeLink: rules.checkoutLink(),
    leftOut: { isSubject: hasBlank(filledSubject), paragraphs },
  }
}

export const cleanSubject = (filled: string, values: Values): string =>
  cleanText(hasBlank(filled) ? replaceSubject(values) : filled, MAX_SUBJECT)

/** Replaces a subject that names a missing coupon value. */
function replaceSubject({ coupon, isWithoutCart, footer: { storeName } }: Values): string {
  if (coupon) return `A coupon for you at ${storeName}`
  return isWithoutCart ? `A message from ${storeName}` : `Your cart at ${storeName}`
}

/** Keeps the checkout link, even when its paragraph was removed. */
function buildContent(sanitized: string, rules: ReturnType<typeof createLinkRules>, { checkoutLink }: Values) {
  const { html, leftOut } = removeBlankParagraphs(sanitized)
  if (leftOut.length === 0) return { html: unwrapItems(html), leftOut }
  const href = `href="${encode(rules.checkoutLink())}"`
  const isLinkLost = sanitized.includes(href) && !html.includes(href)
  const button = `<a class="button block" href="${encode(checkoutLink)}">${LABEL_MARK}</a>`
  return { html: unwrapItems(isLinkLost ? html + BUTTON_MARKS.join(sanitizeHtml(button, rules)) : html), leftOut }
}

/** Liquid's limit is wall-clock time, which a busy machine can exceed at any point. A retry keeps the message. */
const ATTEMPTS = 3

export function fill(liquid: Liquid, template: Template[], values: Values, part: string): string {
  for (let attempt = 1; ; attempt++) {
    try {
      return liquid.renderSync(template, {
        customer_name: values.customerName,
        cart_items: CartItems.from(values.items, toLoopItem),
        cart_total: values.cartTotal,
        checkout_link: values.checkoutLink,
        store_name: values.footer.storeName,
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

function toLoopItem({ name, quantity, unitPrice, lineTotal }: CleanItem) {
  return { name, quantity, price: unitPrice, total: lineTotal }
}

/** A table inside a paragraph is invalid HTML: mail programs would close the paragraph and leave a gap. */
function unwrapItems(content: string): string {
  return content
    .replace(/<p(?: [^<>]*)?>\s*\ue000\s*<\/p>/g, ITEMS_MARK)
    .replace(/<p(?: [^<>]*)?>(\s|&nbsp;)*<\/p>/g, '')
}

function createLinkRules(values: Values, trackLink: TrackLink, links: Draft['links']) {
  const known = new Map<string, string>()
  const { light, radius } = values.brand.look
  const button = `border-radius:${radius}px;background-color:${light.button};color:${light.onButton};border:1px solid ${light.edge};font-weight:600;text-align:center;text-decoration:none`
  return {
    button: {
      inline: `display:inline-block;padding:14px 28px;${button}`,
      block: `display:block;padding:16px 20px;font-size:17px;line-height:1.35;${button}`,
    },
    /** Targets of the layout itself, which are not the owner's links. */
    checkoutLink: () => known.get(values.checkoutLink) ?? trackLink(values.checkoutLink) ?? values.checkoutLink,
    link(text: string): string | null {
      const url = webAddress(text)
      if (!url) return null
      const seen = known.get(url)
      if (seen) return seen
      const isOurs =
        url === values.checkoutLink || (url.length <= MAX_TRACKED && values.storeHosts.has(new URL(url).host))
      const trackedUrl = isOurs ? trackLink(url) : null
      links.push({ url, trackedUrl })
      known.set(url, trackedUrl ?? url)
      return trackedUrl ?? url
    },
    linkText: (text: string) => (webAddress(text) === values.checkoutLink ? values.linkLabel : text),
    isImageAllowed: (text: string) => cleanImageUrl(text, values.storeHosts) !== null,
  }
}

export const emptyBodyError = (isLeftOut: boolean): TemplateError =>
  isLeftOut
    ? new TemplateError(
        'nothing_left',
        'Nothing is left of the message: all of it names of the coupon what this message does not have.',
      )
    : new TemplateError('empty_body', 'The message is empty.')

export function tooLargeError(): TemplateError {
  return new TemplateError('too_large', 'The message is larger than email apps show in full (100 KB).')
}
