// Fills a compiled mail with one shopper's values. Pure: the caller provides every link, amount and date, formatted, and
// the legacy texts, rendered.
import { cleanText, escapeHtml } from './clean-text.ts'
import { getCopy } from './copy/copy.ts'
import { type Chunk, type CompiledMail, type Condition, PROMISE_MARK } from './mail-chunks.ts'
import type { CouponValue, ValueName } from './mail-document.ts'
import { renderItemsHtml, renderItemsText, renderProductHtml, type ShownCart } from './mail-items.ts'
import type { LegacyText, MailLink, MailProduct, MailValues } from './mail-values.ts'

export interface FilledMail {
  subject: string
  html: string
  text: string
  /** The owner's web links in order, with their results. */
  links: MailLink[]
  /** Words left out because they name a missing coupon value. */
  leftOut: { isSubject: boolean; paragraphs: string[] }
  /** Why it must not be sent; null: it may. */
  problem: 'empty_subject' | 'empty_body' | 'nothing_left' | 'too_large' | null
}

const MAX_SUBJECT = 150
const MAX_PREVIEW = 120
const MAX_QUOTE = 120
/** Mail programs clip longer messages, and the unsubscribe link with them. */
export const MAX_HTML_BYTES = 100_000
/** A tracked link contains its target, and some mail programs open no link of more than 2,000 characters. */
export const MAX_TRACKED = 1_000

type Texts = Record<Exclude<ValueName, 'checkout_link'>, string>

interface Filling {
  mail: CompiledMail
  values: MailValues
  texts: Texts
  cart: ShownCart
  known: Map<string, string>
  links: MailLink[]
  leftOut: string[]
  subject: string
  preview: string
}

/** One part of the mail. */
interface Writing {
  isHtml: boolean
  hasPromise: boolean
  /** Whether a link to the cart is shown, or was left out. */
  hasCartLink: boolean
  isCartLinkLost: boolean
  isPreview: boolean
  /** Shows empty values as an ellipsis. */
  isQuote: boolean
}

export function fill(mail: CompiledMail, values: MailValues): FilledMail {
  const filling: Filling = {
    mail,
    values,
    texts: listTexts(values),
    cart: {
      items: values.items,
      coupon: values.coupon ?? values.entered,
      cartTotal: values.cartTotal,
      language: mail.language,
      link: '',
    },
    known: new Map(),
    links: [],
    leftOut: [],
    subject: '',
    preview: '',
  }
  for (const { links } of values.legacyTexts?.values() ?? []) for (const link of links) addLink(link, filling)
  filling.cart.link = trackLink(values.checkoutLink, true, filling)
  const subject = fillSubject(filling)
  filling.subject = subject.text
  const body = tidy(writeAll(mail.text, startWriting(false), filling))
  filling.preview = cleanText(
    writeAll(mail.preview, { ...startWriting(false), isPreview: true }, { ...filling, leftOut: [] }),
    MAX_PREVIEW,
  )
  const html = writeAll(mail.html, startWriting(true), { ...filling, leftOut: [] })
  const text = body + writeAll(mail.footer, startWriting(false), filling)
  return {
    subject: subject.text,
    html,
    text,
    links: filling.links,
    leftOut: { isSubject: subject.isReplaced, paragraphs: filling.leftOut },
    problem: findProblem(subject.text, body, html, filling),
  }
}

function findProblem(subject: string, body: string, html: string, { leftOut }: Filling): FilledMail['problem'] {
  if (!subject) return 'empty_subject'
  if (!body) return leftOut.length > 0 ? 'nothing_left' : 'empty_body'
  // Each UTF-16 unit has at most three bytes.
  return html.length * 3 > MAX_HTML_BYTES && new TextEncoder().encode(html).length > MAX_HTML_BYTES ? 'too_large' : null
}

const startWriting = (isHtml: boolean): Writing => ({
  isHtml,
  hasPromise: false,
  hasCartLink: false,
  isCartLinkLost: false,
  isPreview: false,
  isQuote: false,
})

function listTexts({ customerName, cartTotal, storeName, coupon, entered }: MailValues): Texts {
  return {
    customer_name: customerName,
    cart_total: cartTotal,
    discounted_total: (coupon ?? entered)?.total ?? cartTotal,
    store_name: storeName,
    coupon_code: coupon?.code ?? '',
    coupon_amount: coupon?.amount ?? '',
    coupon_offer: coupon?.offer ?? '',
    coupon_minimum: coupon?.minimum ?? '',
    coupon_expires: coupon?.expires ?? '',
    coupon_saving: coupon?.saving ?? '',
  }
}

/** A subject that names a missing coupon value is replaced. */
function fillSubject(filling: Filling): { text: string; isReplaced: boolean } {
  const { mail, values, texts } = filling
  const isMissing = (each: Chunk) =>
    typeof each !== 'string' &&
    each.kind === 'value' &&
    each.name.startsWith('coupon_') &&
    !each.fallback &&
    !texts[each.name]
  const isReplaced = mail.subject === null ? values.subject === null : mail.subject.some(isMissing)
  if (!isReplaced) {
    const text = mail.subject ? writeAll(mail.subject, startWriting(false), filling) : (values.subject ?? '')
    return { text: cleanText(text, MAX_SUBJECT), isReplaced }
  }
  const id = values.coupon ? 'subjectCoupon' : values.isWithoutCart ? 'subjectShop' : 'subjectCart'
  return { text: cleanText(getCopy(id, mail.language, { store: values.storeName }), MAX_SUBJECT), isReplaced }
}

function isTrue(when: Condition, { texts, values }: Filling): boolean {
  switch (when) {
    case 'with_coupon':
      return values.coupon !== null
    case 'without_coupon':
      return values.coupon === null
    case 'with_cart':
      return !values.isWithoutCart
    case 'without_cart':
      return values.isWithoutCart
    case 'several_items':
      return values.items.length > 1
    case 'total_unchanged':
      return texts.discounted_total === texts.cart_total
    case 'total_changed':
      return texts.cart_total !== '' && texts.discounted_total !== texts.cart_total
    case 'has_preferences':
      return values.preferencesLink !== null
    case 'known:cart_total':
      return texts.cart_total !== ''
    case 'known:discounted_total':
      return texts.discounted_total !== ''
    default: {
      const [test, name] = when.split(':') as ['has' | 'lacks', CouponValue]
      return (texts[name] !== '') === (test === 'has')
    }
  }
}

function writeAll(chunks: readonly Chunk[], writing: Writing, filling: Filling): string {
  let out = ''
  for (const each of chunks) {
    out += typeof each === 'string' ? each : write(each, writing, filling)
  }
  return out
}

function write(each: Exclude<Chunk, string>, writing: Writing, filling: Filling): string {
  const { values } = filling
  const { isHtml } = writing
  const encode = (text: string) => (isHtml ? escapeHtml(text) : text)
  switch (each.kind) {
    case 'value':
      return writeValue(filling.texts[each.name] || each.fallback || (writing.isQuote ? '…' : ''), each.name, isHtml)
    case 'if':
      return isTrue(each.when, filling) ? writeAll(each.chunks, writing, filling) : ''
    case 'filled':
      return writeFilled(each, writing, filling)
    case 'link': {
      if (writing.isQuote || writing.isPreview) return ''
      if (each.href === 'cart' && !each.isLayout) writing.hasCartLink = true
      return encode(trackLink(findTarget(each.href, values), each.isLayout === true, filling))
    }
    case 'labelled_link': {
      if (writing.isQuote || writing.isPreview) return each.label
      if (each.href === 'cart') writing.hasCartLink = true
      const link = trackLink(findTarget(each.href, values), false, filling)
      return link === each.label ? link : `${each.label} ${link}`
    }
    case 'asset':
      return encode(`${values.assetsUrl}/${each.name}`)
    case 'items':
      return each.style
        ? renderItemsHtml(each, each.style, filling.cart)
        : renderItemsText(each, filling.cart, (code) => namesCode(filling, code))
    case 'product': {
      const product = values.products?.get(each.id)
      return product ? writeProduct(product, each, filling) : ''
    }
    case 'legacy_text': {
      const legacy = values.legacyTexts?.get(each.id)
      return legacy ? writeLegacy(legacy, writing, filling) : ''
    }
    case 'promise':
      if (writing.hasPromise) return ''
      writing.hasPromise = true
      return writeAll(each.chunks, writing, filling)
    case 'lost_link':
      return writing.isCartLinkLost && !writing.hasCartLink ? writeAll(each.chunks, writing, filling) : ''
    case 'field':
      return writeField(each.name, isHtml, filling)
  }
}

/** Direction follows a name's letters. */
const writeValue = (text: string, name: string, isHtml: boolean): string => {
  if (!isHtml) return text
  return name === 'customer_name' && text ? `<bdi>${escapeHtml(text)}</bdi>` : escapeHtml(text)
}

function writeFilled(each: Extract<Chunk, { kind: 'filled' }>, writing: Writing, filling: Filling): string {
  if (each.values.every((name) => filling.texts[name] !== '')) return writeAll(each.chunks, writing, filling)
  if (each.leadsToCart) writing.isCartLinkLost = true
  if (!writing.isHtml) {
    const quote = writeAll(
      each.chunks,
      { ...startWriting(false), isQuote: true },
      {
        ...filling,
        links: [],
        known: new Map(filling.known),
      },
    )
    filling.leftOut.push(cleanText(quote, MAX_QUOTE))
  }
  return ''
}

/** Whether the words around have the coupon's code; then a cart without items does not repeat it. */
function namesCode(filling: Filling, code: string): boolean {
  const isNamed = (chunks: readonly Chunk[]): boolean =>
    chunks.some((each) => {
      if (typeof each === 'string') return each.includes(code)
      if (each.kind === 'value') return filling.texts[each.name].includes(code)
      if (each.kind === 'legacy_text') return filling.values.legacyTexts?.get(each.id)?.text.includes(code) === true
      return 'chunks' in each && isNamed(each.chunks)
    })
  return isNamed(filling.mail.text)
}

const findTarget = (href: string, values: MailValues): string =>
  href === 'cart' ? values.checkoutLink : href === 'shop' ? values.shopLink : href

function addLink(link: MailLink, { known, links }: Filling): void {
  if (known.has(link.url)) return
  known.set(link.url, link.trackedUrl ?? link.url)
  links.push(link)
}

function trackLink(url: string, isLayout: boolean, filling: Filling): string {
  const known = filling.known.get(url)
  if (known !== undefined) return known
  const { values } = filling
  const isOwn = url === values.checkoutLink || url === values.shopLink
  const isTracked = isOwn || (url.length <= MAX_TRACKED && values.storeHosts.has(new URL(url).host))
  const trackedUrl = isTracked ? values.trackLink(url) : null
  if (isLayout) return trackedUrl ?? url
  addLink({ url, trackedUrl }, filling)
  return trackedUrl ?? url
}

function writeProduct(product: MailProduct, each: Extract<Chunk, { kind: 'product' }>, filling: Filling): string {
  const link = trackLink(product.url, false, filling)
  if (each.style) return renderProductHtml(product, each.label, each.style, link)
  return `- ${product.name}${product.price && `: ${product.price}`}\n${each.label}: ${link}`
}

function writeLegacy(legacy: LegacyText, writing: Writing, filling: Filling): string {
  if (writing.isPreview) return legacy.preview
  if (!writing.isHtml) filling.leftOut.push(...legacy.leftOut)
  const part = writing.isHtml ? legacy.html : legacy.text
  const link = filling.cart.link
  if (part.includes(writing.isHtml ? escapeHtml(link) : link)) writing.hasCartLink = true
  const [before, ...after] = part.split(PROMISE_MARK)
  const promise = after.length > 0 && !writing.hasPromise ? findPromise(filling.mail, writing, filling) : ''
  return before! + promise + after.join('')
}

/** The promise's own chunk, which stands at the end of every mail that has one. */
function findPromise(mail: CompiledMail, writing: Writing, filling: Filling): string {
  const chunks = writing.isHtml ? mail.promise.html : mail.promise.text
  if (chunks.length === 0) return ''
  writing.hasPromise = true
  return writeAll(chunks, writing, filling)
}

function writeField(
  name: Extract<Chunk, { kind: 'field' }>['name'],
  isHtml: boolean,
  { values, subject, preview }: Filling,
): string {
  const encode = (text: string) => (isHtml ? escapeHtml(text) : text)
  switch (name) {
    case 'subject':
      return encode(subject)
    case 'preview':
      return encode(preview)
    case 'unsubscribe_link':
      return encode(values.unsubscribeLink)
    case 'preferences_link':
      return encode(values.preferencesLink ?? '')
    case 'sender': {
      const lines = [values.senderName, ...values.addressLines]
      if (isHtml) return lines.map((line) => `<bdi>${escapeHtml(line)}</bdi>`).join('<br>')
      return lines.join(lines.length > 2 ? '\n' : ', ')
    }
    case 'trackers':
      return writeTrackers(values.trackers)
  }
}

function writeTrackers({ honeypotLink, pixelUrl }: MailValues['trackers']): string {
  const honeypot = honeypotLink
    ? `<a href="${escapeHtml(honeypotLink)}" aria-hidden="true" tabindex="-1" rel="nofollow" style="display:none;max-height:0;overflow:hidden;mso-hide:all"></a>`
    : ''
  const pixel = pixelUrl
    ? `<img src="${escapeHtml(pixelUrl)}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
    : ''
  return honeypot + pixel
}

/** Removes trailing blanks and repeated empty lines. */
const tidy = (text: string): string => {
  const lines: string[] = []
  for (const each of text.split('\n')) {
    const line = each.trimEnd()
    if (line !== '' || (lines.length > 0 && lines.at(-1) !== '')) lines.push(line)
  }
  return lines.join('\n').trim()
}
