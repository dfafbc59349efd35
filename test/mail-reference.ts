import type { Inline, Leaf, MailDocument, Show } from '../shared/messages/mail-document.ts'
import type { MailCoupon, MailItem, MailValues } from '../shared/messages/mail-values.ts'

// A plain renderer of documents, in English: only words and links, in the order in which a mail has them. The compiler is
// compared with it.

interface Reference {
  words: string
  links: string[]
}

/** The mail without logo and footer. `isHtml`: in HTML an address is a link's target, in text it follows the label. */
export function renderReference(document: MailDocument, values: MailValues, isHtml: boolean): Reference {
  let words = ''
  const links: string[] = []
  let lostLink = false
  let cartLink = false
  const resolve = (href: string): string => {
    if (href === 'cart') cartLink = true
    if (href === 'cart') return values.checkoutLink
    if (href.startsWith('mailto:')) return isHtml ? href : href.slice('mailto:'.length)
    const url = href === 'shop' ? values.shopLink : new URL(href).href.replaceAll('"', '%22')
    const isOwn = href === 'shop' || values.storeHosts.has(new URL(url).host)
    return isOwn ? (values.trackLink(url) ?? url) : url
  }
  const link = (href: string) => {
    const target = resolve(href)
    if (isHtml) links.push(target)
    else words += ` ${target} `
  }
  const texts = listTexts(values)
  const cartLabel = values.isWithoutCart ? 'Visit the shop' : 'Return to your cart'

  function writeRuns(runs: readonly Inline[]): void {
    for (const run of runs) {
      if (run.kind === 'break') words += '\n'
      else if (run.kind === 'value' && run.name === 'checkout_link') {
        if (isHtml) link('cart')
        words += cartLabel
        if (!isHtml) link('cart')
      } else if (run.kind === 'value') {
        const fallback = clean(run.fallback ?? '', true) || (run.name === 'customer_name' ? 'there' : '')
        words += texts[run.name] || fallback
      } else if (run.href === undefined) words += clean(run.text)
      else if (isHtml) {
        link(run.href)
        words += clean(run.text)
      } else {
        words += clean(run.text)
        const target = resolve(run.href)
        if (target !== clean(run.text)) words += run.href.startsWith('mailto:') ? ` (${target})` : ` ${target}`
      }
    }
  }

  function writeFilled(runs: readonly Inline[]): void {
    if (isBlank(runs)) return
    const isLeftOut = runs.some(
      (run) => run.kind === 'value' && run.name.startsWith('coupon_') && !run.fallback && !texts[run.name],
    )
    if (!isLeftOut) writeRuns(runs)
    else if (runs.some((run) => (run.kind === 'text' && run.href === 'cart') || isCheckout(run))) lostLink = true
  }

  function writeItems(block: Extract<Leaf, { type: 'items' }>): void {
    const coupon = block.hasCoupon ? (values.coupon ?? values.entered) : null
    const start = block.part === 'rest' ? 1 : 0
    const count = block.part === 'first' ? 1 : block.max
    const shown = values.items.slice(start, start + count)
    const hidden = block.part === 'first' ? 0 : Math.max(0, values.items.length - start - count)
    if (values.items.length === 0) {
      writeCouponAlone(coupon)
      return
    }
    for (const item of shown) writeItem(item, block, shown.length)
    if (hidden > 0) {
      if (isHtml) links.push(values.checkoutLink)
      words += hidden === 1 ? 'and 1 more item' : `and ${hidden} more items`
    }
    if (coupon) writeCouponRows(coupon)
  }

  function writeItem(item: MailItem, block: Extract<Leaf, { type: 'items' }>, count: number): void {
    const price = !block.hasPrices ? '' : item.isGone ? 'Sold out' : item.lineTotal
    if (!isHtml) {
      words += `- ${block.hasQuantities ? `${item.quantity} × ` : ''}${item.name}${price && `: ${price}`}\n`
      return
    }
    const isGrid = block.layout === 'grid' && count > 1
    if (item.imageUrl && !item.isGone) links.push(values.checkoutLink)
    if (!item.isGone) links.push(values.checkoutLink)
    const quantity =
      !block.hasQuantities || item.isGone || item.quantity === 1
        ? ''
        : item.unitPrice && block.hasPrices
          ? `${item.quantity} × ${item.unitPrice}`
          : `Quantity ${item.quantity}`
    words += isGrid ? item.name + price + quantity : item.name + quantity + price
  }

  function writeCouponRows(coupon: MailCoupon): void {
    const worth = describeSaving(coupon)
    if (!isHtml) {
      words += describeCoupon(coupon) + (coupon.total === null ? '' : `Total with the coupon: ${coupon.total}`)
      return
    }
    if (coupon.total !== null && values.cartTotal) words += `Subtotal${values.cartTotal}`
    words += `Coupon ${coupon.code}${coupon.expires ? `Valid until ${coupon.expires}` : ''}${worth}`
    if (coupon.total !== null) words += `Total with the coupon${coupon.total}`
  }

  function writeCouponAlone(coupon: MailCoupon | null): void {
    if (!coupon) return
    // The text part has it only where no words name the code: compared apart.
    if (!isHtml) return
    const worth = coupon.amount ? `${coupon.amount} off` : describeSaving(coupon)
    words += `${coupon.code}${worth}${coupon.expires ? `Valid until ${coupon.expires}` : ''}`
  }

  function writeLeaf(block: Leaf): void {
    if (!isShown(block.show, values, texts)) return
    switch (block.type) {
      case 'heading':
      case 'text':
        writeFilled(block.inlines)
        return
      case 'items':
        writeItems(block)
        return
      case 'totals': {
        const amount = texts[block.amount]
        if (!amount) return
        const isChanged = texts.cart_total && texts.discounted_total !== texts.cart_total
        const hasBefore = isHtml && block.hasBefore && block.amount === 'discounted_total' && isChanged
        words += `${block.label || 'Total'}${isHtml ? '' : ':'}${hasBefore ? texts.cart_total : ''}${amount}`
        return
      }
      case 'coupon': {
        if (!values.coupon) return
        writeFilled(block.inlines)
        const { code, saving, expires } = values.coupon
        const worth = block.hasSaving && saving ? `You save ${saving}` : ''
        words += isHtml
          ? `${code}${worth}${block.hasExpiry && expires ? `Valid until ${expires}` : ''}`
          : `Coupon ${code}${block.hasExpiry && expires ? `(valid until ${expires})` : ''}${worth}`
        return
      }
      case 'button': {
        if (isHtml) link(block.href)
        words += clean(block.label) || (block.href === 'cart' ? cartLabel : 'Visit the shop')
        if (!isHtml) {
          words += ':'
          link(block.href)
        }
        return
      }
      case 'trust':
        for (const { title, text } of block.points) {
          const both = [clean(title).trim(), clean(text).trim()]
          words += isHtml ? both.join('') : both.filter((each) => each).join(':')
        }
    }
  }

  for (const band of document.bands) {
    if (!isShown(band.show, values, texts)) continue
    for (const block of band.blocks) {
      if (block.type !== 'columns') writeLeaf(block)
      else if (isShown(block.show, values, texts)) for (const each of block.columns.flat()) writeLeaf(each)
    }
  }
  if (lostLink && !cartLink) {
    if (isHtml) link('cart')
    words += cartLabel
    if (!isHtml) {
      words += ':'
      link('cart')
    }
  }
  return { words, links }
}

const isCheckout = (run: Inline) => run.kind === 'value' && run.name === 'checkout_link'
const isBlank = (runs: readonly Inline[]) =>
  runs.every((run) => run.kind === 'break' || (run.kind === 'text' && !run.text.trim()))

/** Without what no mail may contain. */
export const clean = (text: string, isLine = false): string => {
  const safe = text.toWellFormed().replace(/\p{Co}|[\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|(?!\s)\p{Cc}/gu, '')
  return isLine ? safe.replace(/\{(?=[{%])/g, '{ ').replace(/[\u061c\u200b\u200e\u200f\u2060-\u206f\ufeff]/g, '') : safe
}

function listTexts({ customerName, cartTotal, storeName, coupon, entered }: MailValues): Record<string, string> {
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

function isShown(show: Show, values: MailValues, texts: Record<string, string>): boolean {
  if (show === 'always') return true
  if (show === 'with_coupon') return values.coupon !== null
  if (show === 'without_coupon') return values.coupon === null
  if (show === 'several_items') return values.items.length > 1
  if (show === 'total_unchanged') return texts.discounted_total === texts.cart_total
  const [test, name] = show.split(':')
  return (texts[name!] !== '') === (test === 'has')
}

const describeSaving = ({ saving, amount, isFreeShipping }: MailCoupon) =>
  saving === null ? amount || (isFreeShipping ? 'Free shipping' : '') : `−${saving}`

function describeCoupon(coupon: MailCoupon): string {
  const worth = describeSaving(coupon)
  return `Coupon ${coupon.code}${worth && `: ${worth}`}${coupon.expires ? `(valid until ${coupon.expires})` : ''}`
}
