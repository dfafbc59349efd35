// A rendering plan is made by the renderer itself: from values that only stand for a shopper's, where its parts are then cut. Pure but for
// chance, which names those values so that no text contains one.
import crypto from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { blocksHtml } from '../blocks.ts'
import { ITEMS_MARK } from '../compile.ts'
import type { TemplateCoupon, TemplateItem } from '../context.ts'
import { type TemplateContext, TemplateError, type TemplateSource } from '../context.ts'
import { createDraft, type Draft, type DraftTools } from '../draft.ts'
import type { CleanItem } from '../items.ts'
import { type Layout, renderMessage, toLayoutValues } from '../message.ts'
import { cleanContext, toShownCart, type Values } from '../values.ts'
import type { Pieces, Slot, ValueName } from './plan.ts'
import { fillPlan, type Plan } from './plan.ts'
import { discountedTotalOf } from './shape.ts'
import { type NoPlan, wordsOf } from './words.ts'

export interface Planning {
  source: TemplateSource
  /** Of one of the mails that it is for: their shop's values are its own, their shape is its shape. */
  context: TemplateContext
  storeHosts: string[]
}

export interface PlanTools extends DraftTools {
  layout: Layout
}

/** CPU time of one rendering. A plan asks for three. */
const LIMIT_MS = 300

/** Answers with no plan that has not made the same mail as the renderer from two sets of values. */
export function makePlan(tools: PlanTools, planning: Planning, limitMs = LIMIT_MS): Plan | NoPlan {
  const words = wordsOf(planning.source)
  if (typeof words === 'string') return words
  const before = process.threadCpuUsage()
  try {
    const values = cleanContext(planning.context, new Set(planning.storeHosts))
    const plan = cutPlan(tools, planning.source, values, words.usesItems)
    if (typeof plan === 'string') return plan
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1_000 > limitMs) return 'slow'
    const trials = trialsOf(planning.context, values, words.usesItems)
    return trials.every((trial) => isSame(tools, planning, plan, trial)) ? plan : 'unequal'
  } catch (error) {
    if (error instanceof TemplateError) return 'refused'
    throw error
  }
}

function cutPlan(tools: PlanTools, source: TemplateSource, values: Values, usesItems: boolean): Plan | NoPlan {
  const signs = new StandIns(`z${crypto.randomBytes(8).toString('hex')}`)
  const its = signs.valuesFor(values, usesItems)
  let links = 0
  const draft = createDraft(tools, source, its, (url) =>
    url === its.checkoutLink ? null : signs.link({ of: 'tracked', at: links++ }),
  )
  if (!arePlacesKnown(draft, signs)) return 'place'
  const html = htmlOf(tools.layout, draft, its, signs)
  const body = signs.cut(draft.filled)
  const cut = { subject: signs.cut(draft.filledSubject), plain: signs.cut(draft.plain), html: signs.cut(html) }
  if (!body || !cut.subject || !cut.plain || !cut.html) return 'place'
  const length = body.texts.reduce((sum, text) => sum + text.length, 0)
  return onlyUsed({
    slots: signs.slots,
    subject: cut.subject,
    plain: cut.plain,
    html: cut.html,
    body: { length, slots: body.slots },
    links: draft.links.map(({ url, trackedUrl }) => ({
      url: url === its.checkoutLink ? null : url,
      tracked: trackedUrl === null ? null : signs.trackedAt(trackedUrl),
    })),
    leftOut: draft.leftOut,
  })
}

/** Without the slots that stand nowhere. */
function onlyUsed(plan: Plan): Plan {
  const used = [...new Set([plan.subject, plan.body, plan.plain, plan.html].flatMap(({ slots }) => slots))]
  const renumbered = <T extends { slots: number[] }>(pieces: T): T => ({
    ...pieces,
    slots: pieces.slots.map((slot) => used.indexOf(slot)),
  })
  return {
    ...plan,
    slots: used.map((at) => plan.slots[at]!),
    subject: renumbered(plan.subject),
    body: renumbered(plan.body),
    plain: renumbered(plan.plain),
    html: renumbered(plan.html),
  }
}

function htmlOf(layout: Layout, { content, homeLink }: Draft, its: Values, signs: StandIns): string {
  const { look, promise } = its.brand
  const withItems = content.replaceAll(ITEMS_MARK, () => signs.word({ of: 'shown', name: 'items' }))
  const shown = {
    subject: signs.word({ of: 'shown', name: 'subject' }),
    preview: signs.word({ of: 'shown', name: 'preview' }),
    content: blocksHtml(withItems, { cart: toShownCart(its), look, link: homeLink, promise }),
    homeLink,
  }
  return layout(look, toLayoutValues(its, shown))
}

function isSame(tools: PlanTools, { source, storeHosts }: Planning, plan: Plan, context: TemplateContext): boolean {
  const values = cleanContext(context, new Set(storeHosts))
  const trackedUrl = (n: number) => `https://tracked.invalid/c/${n}`
  let links = 0
  const draft = createDraft(tools, source, values, (url) => (url === context.checkoutLink ? null : trackedUrl(links++)))
  return isDeepStrictEqual(fillPlan(plan, values, trackedUrl), renderMessage(tools.layout, draft, values))
}

// Where a shopper's values may stand in a mail that is planned: in its words, where the renderer leaves them as they are. Pure.

function arePlacesKnown(draft: Draft, signs: StandIns): boolean {
  const { filled, sanitized, links, leftOut } = draft
  // What was dropped with its tag could have decided on that tag.
  if (countsIn(filled, signs) !== countsIn(sanitized, signs)) return false
  const isUrlKnown = links.every(({ url }) => signs.numberOf(url) >= 0 || signs.placesIn(url).length === 0)
  const isLeftOutKnown = leftOut.paragraphs.every((paragraph) => signs.placesIn(paragraph).length === 0)
  return isUrlKnown && isLeftOutKnown && areTextsKnown(sanitized, signs)
}

/** How often each value stands in it. */
function countsIn(text: string, signs: StandIns): string {
  const ofShopper = signs.placesIn(text).filter(({ number }) => signs.slots[number]?.of !== 'tracked')
  return ofShopper
    .map(({ number }) => number)
    .toSorted((one, other) => one - other)
    .join()
}

/** Of clean HTML: within tags there is nothing but whole links, and words stand where nothing is made of them. */
function areTextsKnown(html: string, signs: StandIns): boolean {
  let href: string | null = null
  return html.split(/(<[^<>]*>)/).every((part) => {
    if (!part.startsWith('<')) return areWordsKnown(part, href, signs)
    const link = /^<a href="([^"]*)"/.exec(part)?.[1]
    if (part === '</a>') href = null
    else if (part.startsWith('<a')) href = link ?? ''
    const places = signs.placesIn(part)
    return places.length === 0 || (places.length === 1 && link !== undefined && signs.numberOf(link) >= 0)
  })
}

function areWordsKnown(text: string, href: string | null, signs: StandIns): boolean {
  return signs.placesIn(text).every(({ at, end, number }) => {
    if (number < 0) return false
    // Outside of a link an address becomes one.
    if (signs.isLink(number)) return href !== null
    // The text of a link that is its address as well is shown once; an address of ours is no text of anybody's.
    if (href !== null && signs.numberOf(href) < 0) return false
    return (
      !HALF_REFERENCE.test(text.slice(Math.max(0, at - 40), at)) && !REST_OF_ADDRESS.test(text.slice(end, end + 10))
    )
  })
}

/** "&am", which a value could end. */
const HALF_REFERENCE = /&[#\w]*$/
/** "ttps://", which a value could begin. */
const REST_OF_ADDRESS = /^[a-z]{0,5}:\/\//i

// Values that stand for a shopper's while a rendering plan is made, and the cuts at them. Pure.

class StandIns {
  readonly slots: Slot[] = []
  readonly #signs: string[] = []
  readonly #known = new Map<string, string>()
  readonly #name: string
  readonly #pattern: RegExp

  /** `name`: letters and digits that stand in no text of the owner or the shop. */
  constructor(name: string) {
    this.#name = name
    this.#pattern = new RegExp(`(?:https://)?${name}(\\d+)x(?:\\.invalid/c)?`, 'gi')
  }

  /** One word, which every part of the renderer leaves as it is. */
  word = (slot: Slot): string => this.#sign(slot, (at) => `${this.#name}${at}x`)

  link = (slot: Slot): string => this.#sign(slot, (at) => `https://${this.#name}${at}x.invalid/c`)

  #sign(slot: Slot, signOf: (at: number) => string): string {
    const key = JSON.stringify(slot)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const sign = signOf(this.slots.length)
    this.#known.set(key, sign)
    this.#signs.push(sign)
    this.slots.push(slot)
    return sign
  }

  /** What is empty stays so: with that it is as much a part of the shape as what is there. */
  valuesFor(values: Values, usesItems: boolean): Values {
    const { coupon, entered, cartTotal, footer, trackers } = values
    const of = (name: ValueName, value: string) => (value === '' ? '' : this.word({ of: 'value', name }))
    const maybe = (name: ValueName, value: string | null) => (value === null ? null : of(name, value))
    const total = (value: string | null) =>
      maybe(discountedTotalOf(values) === cartTotal ? 'cart_total' : 'discounted_total', value)
    const link = (name: 'preferences' | 'honeypot' | 'pixel', value: string | null) =>
      value === null ? null : this.link({ of: 'link', name })
    return {
      ...values,
      customerName: of('customer_name', values.customerName),
      cartTotal: of('cart_total', cartTotal),
      checkoutLink: this.link({ of: 'link', name: 'checkout' }),
      coupon: coupon && {
        code: of('coupon_code', coupon.code),
        amount: of('coupon_amount', coupon.amount),
        offer: of('coupon_offer', coupon.offer),
        minimum: maybe('coupon_minimum', coupon.minimum),
        expires: maybe('coupon_expires', coupon.expires),
        saving: null,
        total: total(coupon.total),
      },
      entered: entered && { ...entered, total: total(entered.total) },
      items: usesItems ? values.items.map((item, at) => this.#itemFor(item, at)) : [],
      footer: {
        ...footer,
        unsubscribeLink: this.link({ of: 'link', name: 'unsubscribe' }),
        preferencesLink: link('preferences', footer.preferencesLink),
      },
      trackers: {
        honeypotLink: link('honeypot', trackers.honeypotLink),
        pixelUrl: link('pixel', trackers.pixelUrl),
      },
    }
  }

  #itemFor(item: CleanItem, at: number): CleanItem {
    const of = (name: 'unitPrice' | 'lineTotal') => (item[name] === '' ? '' : this.word({ of: 'item', at, name }))
    return {
      ...item,
      name: this.word({ of: 'item', at, name: 'name' }),
      imageUrl: null,
      // A template prints it and does nothing else with it.
      quantity: this.word({ of: 'item', at, name: 'quantity' }) as unknown as number,
      unitPrice: of('unitPrice'),
      lineTotal: of('lineTotal'),
    }
  }

  /** Where signs stand in a text; one that is not as it was is in no list, and `cut` finds it. */
  placesIn(text: string): { at: number; end: number; number: number }[] {
    return [...text.matchAll(this.#pattern)].map((match) => ({
      at: match.index,
      end: match.index + match[0].length,
      number: this.#signs[Number(match[1])] === match[0] ? Number(match[1]) : -1,
    }))
  }

  /** The number among the tracked links; null: it stands for none. */
  trackedAt(sign: string): number | null {
    const slot = this.slots[this.numberOf(sign)]
    return slot?.of === 'tracked' ? slot.at : null
  }

  /** −1: it is no sign. */
  numberOf = (sign: string): number => this.#signs.indexOf(sign)

  isLink = (number: number): boolean => this.#signs[number]?.startsWith('https://') === true

  /** null: a sign is not as it was. */
  cut(text: string): Pieces | null {
    const places = this.placesIn(text)
    if (places.some(({ number }) => number < 0)) return null
    const ends = [0, ...places.map(({ end }) => end)]
    const texts = ends.map((from, at) => text.slice(from, places[at]?.at ?? text.length))
    if (texts.some((each) => each.toLowerCase().includes(this.#name))) return null
    return { texts, slots: places.map(({ number }) => number) }
  }
}

// Values that a new rendering plan is tried with before it is used: two sets, each of the shape that the plan is for. Pure.

interface Trial {
  /** Something to say of what is called `name`: the two differ, and so do all names of each. */
  text(name: string): string
  token: string
  quantity: number
  /** Where the template leaves that open. */
  count: number
}

const TRIALS: readonly Trial[] = [
  {
    text: (name) => `Zoë <b>"O'N" &amp; {{ ${name}`,
    token: 'A-_z',
    quantity: 3,
    count: 2,
  },
  {
    text: (name) => `${name} שלום 🛒 ${'long '.repeat(20)}`,
    token: 'b9'.repeat(22),
    quantity: 12,
    count: 14,
  },
]

const trialsOf = (context: TemplateContext, values: Values, usesItems: boolean): TemplateContext[] =>
  TRIALS.map((trial) => ({
    ...context,
    customerName: trial.text('name'),
    cartTotal: values.cartTotal && trial.text('total'),
    items: itemsFor(trial, context, values, usesItems),
    coupon: couponFor(trial, values, values.coupon),
    entered: couponFor(trial, values, values.entered),
    checkoutLink: `https://trial.invalid/c/${trial.token}`,
    unsubscribeLink: `https://trial.invalid/u/${trial.token}`,
    ...(context.preferencesLink && { preferencesLink: `https://trial.invalid/p?token=${trial.token}` }),
    ...(context.trackers && {
      trackers: {
        honeypotLink: `https://trial.invalid/h/${trial.token}`,
        pixelUrl: `https://trial.invalid/o/${trial.token}`,
      },
    }),
  }))

function itemsFor(trial: Trial, context: TemplateContext, values: Values, usesItems: boolean): TemplateItem[] {
  const like = (item: Pick<TemplateItem, 'unitPrice' | 'lineTotal' | 'isGone'>, at: number): TemplateItem => ({
    name: trial.text(`i${at}`),
    quantity: trial.quantity + at,
    isGone: item.isGone === true,
    unitPrice: item.unitPrice && trial.text(`u${at}`),
    lineTotal: item.lineTotal && trial.text(`l${at}`),
    imageUrl: at % 2 ? null : 'https://trial.invalid/picture.png',
  })
  if (usesItems) return values.items.map(like)
  return Array.from({ length: context.items.length && trial.count }, (_, at) =>
    like({ unitPrice: '1', lineTotal: '1', isGone: at === 1 }, at),
  )
}

function couponFor(trial: Trial, values: Values, coupon: TemplateCoupon | null): TemplateCoupon | null {
  if (coupon === null) return null
  const isSame = discountedTotalOf(values) === values.cartTotal
  return {
    code: coupon.code && trial.text('code'),
    amount: coupon.amount && trial.text('amount'),
    offer: coupon.offer && trial.text('offer'),
    minimum: coupon.minimum && trial.text('minimum'),
    expires: coupon.expires && trial.text('expires'),
    saving: coupon.saving && trial.text('saving'),
    total: coupon.total && trial.text(isSame ? 'total' : 'discounted'),
  }
}
