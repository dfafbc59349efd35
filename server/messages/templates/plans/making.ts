// Makes a rendering plan: renders the mail with placeholders for the shopper's values and cuts the result at them. Pure
// except for the random name of the placeholders, which no text contains.
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
import { computeDiscountedTotal } from './shape.ts'
import { analyzeTemplate, type NoPlan } from './words.ts'

export interface Planning {
  source: TemplateSource
  /** Of one mail that the plan is for. All its mails have the same shop and the same shape. */
  context: TemplateContext
  storeHosts: string[]
}

export interface PlanTools extends DraftTools {
  layout: Layout
}

/** CPU time of one rendering. Making a plan renders three times. */
const LIMIT_MS = 300

/** Returns a plan only if it makes the same mail as the renderer from two sets of values. */
export function makePlan(tools: PlanTools, planning: Planning, limitMs = LIMIT_MS): Plan | NoPlan {
  const words = analyzeTemplate(planning.source)
  if (typeof words === 'string') return words
  const before = process.threadCpuUsage()
  try {
    const values = cleanContext(planning.context, new Set(planning.storeHosts))
    const plan = cutPlan(tools, planning.source, values, words.usesItems)
    if (typeof plan === 'string') return plan
    const { user, system } = process.threadCpuUsage(before)
    if ((user + system) / 1_000 > limitMs) return 'slow'
    const trials = buildTrials(planning.context, values, words.usesItems)
    return trials.every((trial) => isSame(tools, planning, plan, trial)) ? plan : 'unequal'
  } catch (error) {
    if (error instanceof TemplateError) return 'refused'
    throw error
  }
}

function cutPlan(tools: PlanTools, source: TemplateSource, values: Values, usesItems: boolean): Plan | NoPlan {
  const placeholders = new Placeholders(`z${crypto.randomBytes(8).toString('hex')}`)
  const its = placeholders.replaceValues(values, usesItems)
  let links = 0
  const draft = createDraft(tools, source, its, (url) =>
    url === its.checkoutLink ? null : placeholders.addLink({ of: 'tracked', at: links++ }),
  )
  if (!arePlacesKnown(draft, placeholders)) return 'place'
  const html = renderHtml(tools.layout, draft, its, placeholders)
  const body = placeholders.cut(draft.filled)
  const cut = {
    subject: placeholders.cut(draft.filledSubject),
    plain: placeholders.cut(draft.plain),
    html: placeholders.cut(html),
  }
  if (!body || !cut.subject || !cut.plain || !cut.html) return 'place'
  const length = body.texts.reduce((sum, text) => sum + text.length, 0)
  return dropUnusedSlots({
    slots: placeholders.slots,
    subject: cut.subject,
    plain: cut.plain,
    html: cut.html,
    body: { length, slots: body.slots },
    links: draft.links.map(({ url, trackedUrl }) => ({
      url: url === its.checkoutLink ? null : url,
      tracked: trackedUrl === null ? null : placeholders.findTrackedNumber(trackedUrl),
    })),
    leftOut: draft.leftOut,
  })
}

/** Removes slots that no part contains. */
function dropUnusedSlots(plan: Plan): Plan {
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

function renderHtml(layout: Layout, { content, homeLink }: Draft, its: Values, placeholders: Placeholders): string {
  const { look, promise } = its.brand
  const withItems = content.replaceAll(ITEMS_MARK, () => placeholders.addWord({ of: 'shown', name: 'items' }))
  const shown = {
    subject: placeholders.addWord({ of: 'shown', name: 'subject' }),
    preview: placeholders.addWord({ of: 'shown', name: 'preview' }),
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

// Checks that the shopper's values are only in text that the renderer does not change. Pure.

function arePlacesKnown(draft: Draft, placeholders: Placeholders): boolean {
  const { filled, sanitized, links, leftOut } = draft
  // A value that was removed together with its tag could have caused the removal.
  if (listOccurrences(filled, placeholders) !== listOccurrences(sanitized, placeholders)) return false
  const isUrlKnown = links.every(
    ({ url }) => placeholders.findNumber(url) >= 0 || placeholders.findIn(url).length === 0,
  )
  const isLeftOutKnown = leftOut.paragraphs.every((paragraph) => placeholders.findIn(paragraph).length === 0)
  return isUrlKnown && isLeftOutKnown && areTextsKnown(sanitized, placeholders)
}

/** The shopper's values in the text, with repetitions. */
function listOccurrences(text: string, placeholders: Placeholders): string {
  const ofShopper = placeholders.findIn(text).filter(({ number }) => placeholders.slots[number]?.of !== 'tracked')
  return ofShopper
    .map(({ number }) => number)
    .toSorted((one, other) => one - other)
    .join()
}

/** For sanitized HTML: placeholders within tags are whole links, and the renderer leaves those in text unchanged. */
function areTextsKnown(html: string, placeholders: Placeholders): boolean {
  let href: string | null = null
  return html.split(/(<[^<>]*>)/).every((part) => {
    if (!part.startsWith('<')) return areWordsKnown(part, href, placeholders)
    const link = /^<a href="([^"]*)"/.exec(part)?.[1]
    if (part === '</a>') href = null
    else if (part.startsWith('<a')) href = link ?? ''
    const places = placeholders.findIn(part)
    return places.length === 0 || (places.length === 1 && link !== undefined && placeholders.findNumber(link) >= 0)
  })
}

function areWordsKnown(text: string, href: string | null, placeholders: Placeholders): boolean {
  return placeholders.findIn(text).every(({ at, end, number }) => {
    if (number < 0) return false
    // Outside of a link, the renderer turns an address into a link.
    if (placeholders.isLink(number)) return href !== null
    // The renderer shows a link once if its text equals its address. No text equals an address of ours.
    if (href !== null && placeholders.findNumber(href) < 0) return false
    return (
      !HALF_REFERENCE.test(text.slice(Math.max(0, at - 40), at)) && !REST_OF_ADDRESS.test(text.slice(end, end + 10))
    )
  })
}

/** "&am", which a value could complete. */
const HALF_REFERENCE = /&[#\w]*$/
/** "ttps://", which a value could complete at its start. */
const REST_OF_ADDRESS = /^[a-z]{0,5}:\/\//i

// Placeholders for the shopper's values, and the cuts at them. Pure.

class Placeholders {
  readonly slots: Slot[] = []
  readonly #placeholders: string[] = []
  readonly #known = new Map<string, string>()
  readonly #name: string
  readonly #pattern: RegExp

  /** `name`: letters and digits that no text of the owner or the shop contains. */
  constructor(name: string) {
    this.#name = name
    this.#pattern = new RegExp(`(?:https://)?${name}(\\d+)x(?:\\.invalid/c)?`, 'gi')
  }

  /** One word, which no part of the renderer changes. */
  addWord = (slot: Slot): string => this.#add(slot, (at) => `${this.#name}${at}x`)

  addLink = (slot: Slot): string => this.#add(slot, (at) => `https://${this.#name}${at}x.invalid/c`)

  #add(slot: Slot, buildText: (at: number) => string): string {
    const key = JSON.stringify(slot)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const sign = buildText(this.slots.length)
    this.#known.set(key, sign)
    this.#placeholders.push(sign)
    this.slots.push(slot)
    return sign
  }

  /** Replaces the values by placeholders. Empty ones stay empty: which values are empty is part of the shape. */
  replaceValues(values: Values, usesItems: boolean): Values {
    const { coupon, entered, cartTotal, footer, trackers } = values
    const of = (name: ValueName, value: string) => (value === '' ? '' : this.addWord({ of: 'value', name }))
    const maybe = (name: ValueName, value: string | null) => (value === null ? null : of(name, value))
    const total = (value: string | null) =>
      maybe(computeDiscountedTotal(values) === cartTotal ? 'cart_total' : 'discounted_total', value)
    const link = (name: 'preferences' | 'honeypot' | 'pixel', value: string | null) =>
      value === null ? null : this.addLink({ of: 'link', name })
    return {
      ...values,
      customerName: of('customer_name', values.customerName),
      cartTotal: of('cart_total', cartTotal),
      checkoutLink: this.addLink({ of: 'link', name: 'checkout' }),
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
      items: usesItems ? values.items.map((item, at) => this.#replaceItem(item, at)) : [],
      footer: {
        ...footer,
        unsubscribeLink: this.addLink({ of: 'link', name: 'unsubscribe' }),
        preferencesLink: link('preferences', footer.preferencesLink),
      },
      trackers: {
        honeypotLink: link('honeypot', trackers.honeypotLink),
        pixelUrl: link('pixel', trackers.pixelUrl),
      },
    }
  }

  #replaceItem(item: CleanItem, at: number): CleanItem {
    const of = (name: 'unitPrice' | 'lineTotal') => (item[name] === '' ? '' : this.addWord({ of: 'item', at, name }))
    return {
      ...item,
      name: this.addWord({ of: 'item', at, name: 'name' }),
      imageUrl: null,
      // A template only prints it.
      quantity: this.addWord({ of: 'item', at, name: 'quantity' }) as unknown as number,
      unitPrice: of('unitPrice'),
      lineTotal: of('lineTotal'),
    }
  }

  /** Positions of placeholders in a text. `number` is −1 for a changed one; `cut` finds those that no longer match. */
  findIn(text: string): { at: number; end: number; number: number }[] {
    return [...text.matchAll(this.#pattern)].map((match) => ({
      at: match.index,
      end: match.index + match[0].length,
      number: this.#placeholders[Number(match[1])] === match[0] ? Number(match[1]) : -1,
    }))
  }

  /** The number among the tracked links; null: not a tracked link. */
  findTrackedNumber(sign: string): number | null {
    const slot = this.slots[this.findNumber(sign)]
    return slot?.of === 'tracked' ? slot.at : null
  }

  /** −1: not a placeholder. */
  findNumber = (sign: string): number => this.#placeholders.indexOf(sign)

  isLink = (number: number): boolean => this.#placeholders[number]?.startsWith('https://') === true

  /** null: a placeholder was changed. */
  cut(text: string): Pieces | null {
    const places = this.findIn(text)
    if (places.some(({ number }) => number < 0)) return null
    const ends = [0, ...places.map(({ end }) => end)]
    const texts = ends.map((from, at) => text.slice(from, places[at]?.at ?? text.length))
    if (texts.some((each) => each.toLowerCase().includes(this.#name))) return null
    return { texts, slots: places.map(({ number }) => number) }
  }
}

// Two sets of values with the plan's shape, with which a new plan is tried before it is used. Pure.

interface Trial {
  /** A text for the value called `name`, different for each trial and name. */
  text(name: string): string
  token: string
  quantity: number
  /** Number of items, if the template does not use them. */
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

const buildTrials = (context: TemplateContext, values: Values, usesItems: boolean): TemplateContext[] =>
  TRIALS.map((trial) => ({
    ...context,
    customerName: trial.text('name'),
    cartTotal: values.cartTotal && trial.text('total'),
    items: buildTrialItems(trial, context, values, usesItems),
    coupon: buildTrialCoupon(trial, values, values.coupon),
    entered: buildTrialCoupon(trial, values, values.entered),
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

function buildTrialItems(trial: Trial, context: TemplateContext, values: Values, usesItems: boolean): TemplateItem[] {
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

function buildTrialCoupon(trial: Trial, values: Values, coupon: TemplateCoupon | null): TemplateCoupon | null {
  if (coupon === null) return null
  const isSame = computeDiscountedTotal(values) === values.cartTotal
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
