import { LRUCache } from 'lru-cache'
import { AppError } from '../../../core/common/public.ts'
import type { TemplateCoupon } from '../context.ts'
import {
  type MailBrand,
  type TemplateContext,
  TemplateError,
  type TemplateProblem,
  type TemplateSource,
} from '../context.ts'
import type { RenderedMessage } from '../message.ts'
import { cleanContext, type Values } from '../values.ts'
import { fillPlan, type Plan } from './plan.ts'
import { computeDiscountedTotal } from './shape.ts'
import { analyzeTemplate, type NoPlan, type TemplateAnalysis } from './words.ts'

// The rendering plans of a process (decision 146). Makes them for shapes that repeat, compares them with the renderer,
// and drops wrong ones. Mails without a plan are rendered in full.

export interface PlannedMail {
  source: TemplateSource
  context: TemplateContext
  storeHosts: string[]
  /** The address of the n-th tracked link. */
  tracked(n: number): string
  /** Renders the same mail in full. */
  render(): Promise<RenderedMessage>
  makePlan(): Promise<Plan | NoPlan>
  /** The plan's mail differed from the renderer's; the plan is no longer used. */
  onDifference?: ((found: Difference) => void) | undefined
}

/** Contains no text of the mail. */
export interface Difference {
  templateId: string
  version: number
  /** The parts that differ; empty: the renderer refuses the mail. */
  parts: string[]
}

/** Since the process started. `compared` mails also count as `planned`. */
export interface PlanFigures {
  planned: number
  rendered: number
  compared: number
  differed: number
  plans: number
}

export interface PlanLimits {
  /** A plan's first mail, and then one in this many, is compared. */
  comparedEvery: number
  /** Analyzed templates in the cache. */
  maxTemplates: number
  /** Shapes in the cache, with or without a plan. */
  maxShapes: number
  /** Total length of all plans' texts. */
  maxCharacters: number
}

const LIMITS: PlanLimits = { comparedEvery: 1_000, maxTemplates: 2_000, maxShapes: 5_000, maxCharacters: 8_000_000 }

/** After this many templates with a wrong plan, the cause is not the templates, so no plan is used any more. */
const MAX_DIFFERED = 100

type Entry =
  /** One mail had this shape. A plan is made for the second one. */
  | { state: 'seen' }
  | { state: 'making'; done: Promise<void> }
  | { state: 'ready'; plan: Plan; size: number; uses: number }
  | { state: 'none'; reason: NoPlan }

interface AnalyzedTemplate {
  subject: string
  body: string
  words: TemplateAnalysis | NoPlan
}

export class RenderingPlans {
  readonly #limits: PlanLimits
  readonly #templates: LRUCache<string, AnalyzedTemplate>
  readonly #shapes: LRUCache<string, Entry>
  readonly #differed = new Set<string>()
  readonly #brands = new WeakMap<MailBrand, string>()
  readonly #figures = { planned: 0, rendered: 0, compared: 0, differed: 0 }

  constructor(limits: Partial<PlanLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#templates = new LRUCache({ max: this.#limits.maxTemplates })
    this.#shapes = new LRUCache({
      max: this.#limits.maxShapes,
      maxSize: this.#limits.maxCharacters,
      sizeCalculation: (entry) => (entry.state === 'ready' ? entry.size : 1),
    })
  }

  figures = (): PlanFigures => ({
    ...this.#figures,
    plans: [...this.#shapes.values()].filter(({ state }) => state === 'ready').length,
  })

  async render(mail: PlannedMail): Promise<RenderedMessage> {
    const planned = this.#findShape(mail)
    if (!planned) return this.#renderInFull(mail)
    for (;;) {
      const entry = this.#shapes.get(planned.key)
      if (entry?.state === 'ready') return this.#fill(mail, planned.values, entry)
      if (entry?.state === 'none') return this.#renderInFull(mail)
      if (entry?.state === 'seen') return this.#renderFirst(mail, planned.key)
      if (!entry) {
        this.#shapes.set(planned.key, { state: 'seen' })
        return this.#renderInFull(mail)
      }
      await entry.done
    }
  }

  /** Why mails of a template, or of this mail's shape, have no plan; null: they may have one. */
  reasonOf(mail: Pick<PlannedMail, 'source' | 'context' | 'storeHosts'>): NoPlan | null {
    const words = this.#analyze(mail.source)
    if (typeof words === 'string') return words
    const planned = this.#findShape(mail)
    const entry = planned && this.#shapes.get(planned.key)
    return entry?.state === 'none' ? entry.reason : null
  }

  #findShape({ source, context, storeHosts }: Pick<PlannedMail, 'source' | 'context' | 'storeHosts'>) {
    // A draft's text may change.
    if (source.version === 0) return null
    const words = this.#analyze(source)
    if (typeof words === 'string') return null
    const values = cleanValues(context, storeHosts)
    // The plan would treat an address that is not in its normal form as one of the shop's.
    if (values?.checkoutLink !== context.checkoutLink) return null
    const shape = buildShapeKey(values, words.usesItems)
    return shape === null ? null : { key: this.#buildKey(source, context, values, shape), values }
  }

  #analyze(source: TemplateSource): TemplateAnalysis | NoPlan {
    const { subject, body } = source
    const key = buildTemplateKey(source)
    if (this.#differed.has(key) || this.#differed.size >= MAX_DIFFERED) return 'differed'
    const known = this.#templates.get(key)
    if (known && known.subject === subject && known.body === body) return known.words
    const words = analyzeTemplate(source)
    if (known) this.#drop(source)
    this.#templates.set(key, { subject, body, words })
    return words
  }

  #buildKey(source: TemplateSource, { brand }: TemplateContext, { footer, storeHosts }: Values, shape: string): string {
    const { storeName, senderName, addressLines } = footer
    const look = brand ? (this.#brands.get(brand) ?? JSON.stringify(brand)) : ''
    if (brand) this.#brands.set(brand, look)
    return [buildTemplateKey(source), shape, storeName, senderName, ...addressLines, ...storeHosts, look].join('\n')
  }

  #renderInFull(mail: PlannedMail): Promise<RenderedMessage> {
    this.#figures.rendered += 1
    return mail.render()
  }

  /** Other mails of the shape wait for the plan, as they would for the thread. */
  async #renderFirst(mail: PlannedMail, key: string): Promise<RenderedMessage> {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    this.#shapes.set(key, { state: 'making', done })
    try {
      const message = await this.#renderInFull(mail)
      void this.#makePlan(mail, key).finally(resolve)
      return message
    } catch (error) {
      this.#shapes.set(key, { state: 'seen' })
      resolve()
      throw error
    }
  }

  async #makePlan(mail: PlannedMail, key: string): Promise<void> {
    const made = await mail.makePlan().catch((error: unknown) => (error instanceof AppError ? null : 'refused'))
    // A comparison may have ended the template's plans meanwhile.
    const words = this.#analyze(mail.source)
    if (made === null) this.#shapes.set(key, { state: 'seen' })
    else if (typeof words === 'string') this.#shapes.set(key, { state: 'none', reason: words })
    else if (typeof made === 'string') this.#shapes.set(key, { state: 'none', reason: made })
    else this.#shapes.set(key, { state: 'ready', plan: made, size: measurePlan(made), uses: 0 })
  }

  async #fill(mail: PlannedMail, values: Values, entry: Extract<Entry, { state: 'ready' }>): Promise<RenderedMessage> {
    const message = fillPlan(entry.plan, values, (n) => mail.tracked(n))
    if (!message) return this.#renderInFull(mail)
    this.#figures.planned += 1
    const isCompared = entry.uses % this.#limits.comparedEvery === 0
    entry.uses += 1
    return isCompared ? this.#compare(mail, message) : message
  }

  /** Returns the renderer's mail. */
  async #compare(mail: PlannedMail, message: RenderedMessage): Promise<RenderedMessage> {
    this.#figures.compared += 1
    try {
      const rendered = await mail.render()
      const parts = listDifferingParts(message, rendered)
      if (parts.length > 0) this.#recordDifference(mail, parts)
      return rendered
    } catch (error) {
      // A suspended machine or a missing thread is no evidence about the mail.
      if (!(error instanceof TemplateError) || TIME_PROBLEMS.has(error.code)) return message
      this.#recordDifference(mail, [])
      throw error
    }
  }

  #recordDifference({ source, onDifference }: PlannedMail, parts: string[]): void {
    this.#figures.differed += 1
    this.#differed.add(buildTemplateKey(source))
    this.#drop(source)
    onDifference?.({ templateId: source.id, version: source.version, parts })
  }

  /** Forgets the shapes of a template. */
  #drop(source: TemplateSource): void {
    const prefix = `${buildTemplateKey(source)}\n`
    for (const key of [...this.#shapes.keys()]) if (key.startsWith(prefix)) this.#shapes.delete(key)
  }
}

/** Refusals that might not happen with more time. */
const TIME_PROBLEMS = new Set<TemplateProblem>(['limit_exceeded', 'too_slow'])

const buildTemplateKey = ({ id, version }: TemplateSource): string => `${id}:${version}`

/** null: invalid; the renderer reports the problem. */
function cleanValues(context: TemplateContext, storeHosts: readonly string[]): Values | null {
  try {
    return cleanContext(context, new Set(storeHosts))
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

const measurePlan = ({ subject, plain, html }: Plan): number =>
  [subject, plain, html].flatMap(({ texts }) => texts).reduce((sum, text) => sum + text.length, 0)

const PARTS = ['subject', 'html', 'text', 'headers', 'links', 'leftOut'] as const

const listDifferingParts = (one: RenderedMessage, other: RenderedMessage): string[] =>
  PARTS.filter((part) => one[part] !== other[part] && JSON.stringify(one[part]) !== JSON.stringify(other[part]))

/** `usesItems`: the template prints or counts items. null: such mails get no plan. */
function buildShapeKey(values: Values, usesItems: boolean): string | null {
  const { items, coupon, entered, cartTotal, trackers, footer, isWithoutCart } = values
  if (usesItems && items.length > MAX_ITEMS) return null
  const bits = [
    isWithoutCart,
    footer.preferencesLink !== null,
    trackers.honeypotLink !== null,
    trackers.pixelUrl !== null,
    encodePresence(cartTotal),
    computeDiscountedTotal(values) === cartTotal,
  ]
  return [
    bits.map(Number).join(''),
    coupon ? describeCoupon(coupon) : '',
    entered ? describeCoupon(entered) : '',
    usesItems
      ? items.map(({ unitPrice, lineTotal }) => `${encodePresence(unitPrice)}${encodePresence(lineTotal)}`).join()
      : '',
  ].join('/')
}

const describeCoupon = ({ code, amount, offer, minimum, expires, total }: TemplateCoupon): string =>
  [code, amount, offer, minimum, expires, total].map(encodePresence).join('')

/** An empty text is true in a Liquid `if`, so it differs from null. */
const encodePresence = (value: string | null): 0 | 1 | 2 => (value === null ? 0 : value === '' ? 1 : 2)

/** Mails with more items get no plan if the template uses items. */
const MAX_ITEMS = 50
