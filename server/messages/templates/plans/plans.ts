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
import { discountedTotalOf } from './shape.ts'
import { type NoPlan, type PlannableWords, wordsOf } from './words.ts'

// The rendering plans of a process (decision 146): which mails have one, since when, and whether it is right. Whatever is not planned is
// rendered.

export interface PlannedMail {
  source: TemplateSource
  context: TemplateContext
  storeHosts: string[]
  /** The address by which the n-th tracked link is followed. */
  tracked(n: number): string
  /** The same mail by the renderer. */
  render(): Promise<RenderedMessage>
  makePlan(): Promise<Plan | NoPlan>
  /** A comparison found another mail than the plan's; the plan is not used any more. */
  onDifference?: ((found: Difference) => void) | undefined
}

/** Nothing of what the mail says. */
export interface Difference {
  templateId: string
  version: number
  /** The parts that differ; none: the renderer refuses the mail. */
  parts: string[]
}

/** Since the process began. `compared` ones are planned ones, too. */
export interface PlanFigures {
  planned: number
  rendered: number
  compared: number
  differed: number
  plans: number
}

export interface PlanLimits {
  /** One mail of a plan in so many is compared, and its first. */
  comparedEvery: number
  /** Of templates whose words are known. */
  mostTemplates: number
  /** Of shapes with a plan or without one. */
  mostShapes: number
  /** Of the texts of all plans together, in characters. */
  mostCharacters: number
}

const LIMITS: PlanLimits = { comparedEvery: 1_000, mostTemplates: 2_000, mostShapes: 5_000, mostCharacters: 8_000_000 }

/** Where so many templates have a plan that was wrong, it is none of them: nothing is planned any more. */
const MAX_DIFFERED = 100

type Entry =
  /** One mail has had this shape: who is the only one gets no plan. */
  | { state: 'seen' }
  | { state: 'making'; done: Promise<void> }
  | { state: 'ready'; plan: Plan; size: number; uses: number }
  | { state: 'none'; reason: NoPlan }

interface Known {
  subject: string
  body: string
  words: PlannableWords | NoPlan
}

export class RenderingPlans {
  readonly #limits: PlanLimits
  readonly #templates: LRUCache<string, Known>
  readonly #shapes: LRUCache<string, Entry>
  readonly #differed = new Set<string>()
  readonly #brands = new WeakMap<MailBrand, string>()
  readonly #figures = { planned: 0, rendered: 0, compared: 0, differed: 0 }

  constructor(limits: Partial<PlanLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#templates = new LRUCache({ max: this.#limits.mostTemplates })
    this.#shapes = new LRUCache({
      max: this.#limits.mostShapes,
      maxSize: this.#limits.mostCharacters,
      sizeCalculation: (entry) => (entry.state === 'ready' ? entry.size : 1),
    })
  }

  figures = (): PlanFigures => ({
    ...this.#figures,
    plans: [...this.#shapes.values()].filter(({ state }) => state === 'ready').length,
  })

  async render(mail: PlannedMail): Promise<RenderedMessage> {
    const planned = this.#placeOf(mail)
    if (!planned) return this.#rendered(mail)
    for (;;) {
      const entry = this.#shapes.get(planned.key)
      if (entry?.state === 'ready') return this.#filled(mail, planned.values, entry)
      if (entry?.state === 'none') return this.#rendered(mail)
      if (entry?.state === 'seen') return this.#first(mail, planned.key)
      if (!entry) {
        this.#shapes.set(planned.key, { state: 'seen' })
        return this.#rendered(mail)
      }
      await entry.done
    }
  }

  /** Why mails of a template, or of this mail's shape, have no plan; null: they may have one. */
  reasonOf(mail: Pick<PlannedMail, 'source' | 'context' | 'storeHosts'>): NoPlan | null {
    const words = this.#wordsOf(mail.source)
    if (typeof words === 'string') return words
    const planned = this.#placeOf(mail)
    const entry = planned && this.#shapes.get(planned.key)
    return entry?.state === 'none' ? entry.reason : null
  }

  #placeOf({ source, context, storeHosts }: Pick<PlannedMail, 'source' | 'context' | 'storeHosts'>) {
    // A draft's text may change.
    if (source.version === 0) return null
    const words = this.#wordsOf(source)
    if (typeof words === 'string') return null
    const values = cleanValues(context, storeHosts)
    // An address that is not in its normal form would be taken for one of the shop's.
    if (values?.checkoutLink !== context.checkoutLink) return null
    const shape = shapeOf(values, words.usesItems)
    return shape === null ? null : { key: this.#keyOf(source, context, values, shape), values }
  }

  #wordsOf(source: TemplateSource): PlannableWords | NoPlan {
    const { subject, body } = source
    const key = nameOf(source)
    if (this.#differed.has(key) || this.#differed.size >= MAX_DIFFERED) return 'differed'
    const known = this.#templates.get(key)
    if (known && known.subject === subject && known.body === body) return known.words
    const words = wordsOf(source)
    if (known) this.#drop(source)
    this.#templates.set(key, { subject, body, words })
    return words
  }

  #keyOf(source: TemplateSource, { brand }: TemplateContext, { footer, storeHosts }: Values, shape: string): string {
    const { storeName, senderName, addressLines } = footer
    const look = brand ? (this.#brands.get(brand) ?? JSON.stringify(brand)) : ''
    if (brand) this.#brands.set(brand, look)
    return [nameOf(source), shape, storeName, senderName, ...addressLines, ...storeHosts, look].join('\n')
  }

  #rendered(mail: PlannedMail): Promise<RenderedMessage> {
    this.#figures.rendered += 1
    return mail.render()
  }

  /** Others of its shape wait for the plan, as they would for the thread. */
  async #first(mail: PlannedMail, key: string): Promise<RenderedMessage> {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    this.#shapes.set(key, { state: 'making', done })
    try {
      const message = await this.#rendered(mail)
      void this.#make(mail, key).finally(resolve)
      return message
    } catch (error) {
      this.#shapes.set(key, { state: 'seen' })
      resolve()
      throw error
    }
  }

  async #make(mail: PlannedMail, key: string): Promise<void> {
    const made = await mail.makePlan().catch((error: unknown) => (error instanceof AppError ? null : 'refused'))
    // A comparison may have ended the template's plans meanwhile.
    const words = this.#wordsOf(mail.source)
    if (made === null) this.#shapes.set(key, { state: 'seen' })
    else if (typeof words === 'string') this.#shapes.set(key, { state: 'none', reason: words })
    else if (typeof made === 'string') this.#shapes.set(key, { state: 'none', reason: made })
    else this.#shapes.set(key, { state: 'ready', plan: made, size: sizeOf(made), uses: 0 })
  }

  async #filled(
    mail: PlannedMail,
    values: Values,
    entry: Extract<Entry, { state: 'ready' }>,
  ): Promise<RenderedMessage> {
    const message = fillPlan(entry.plan, values, (n) => mail.tracked(n))
    if (!message) return this.#rendered(mail)
    this.#figures.planned += 1
    const isCompared = entry.uses % this.#limits.comparedEvery === 0
    entry.uses += 1
    return isCompared ? this.#compared(mail, message) : message
  }

  /** What the renderer says counts. */
  async #compared(mail: PlannedMail, message: RenderedMessage): Promise<RenderedMessage> {
    this.#figures.compared += 1
    try {
      const rendered = await mail.render()
      const parts = differingParts(message, rendered)
      if (parts.length > 0) this.#differs(mail, parts)
      return rendered
    } catch (error) {
      // A machine that stood still, or a thread that is not there just now, says nothing of the mail.
      if (!(error instanceof TemplateError) || IN_TIME.has(error.code)) return message
      this.#differs(mail, [])
      throw error
    }
  }

  #differs({ source, onDifference }: PlannedMail, parts: string[]): void {
    this.#figures.differed += 1
    this.#differed.add(nameOf(source))
    this.#drop(source)
    onDifference?.({ templateId: source.id, version: source.version, parts })
  }

  /** All that is known of its shapes. */
  #drop(source: TemplateSource): void {
    const beginning = `${nameOf(source)}\n`
    for (const key of [...this.#shapes.keys()]) if (key.startsWith(beginning)) this.#shapes.delete(key)
  }
}

/** What a mail is refused for that could have been made with more time. */
const IN_TIME = new Set<TemplateProblem>(['limit_exceeded', 'too_slow'])

const nameOf = ({ id, version }: TemplateSource): string => `${id}:${version}`

/** null: the renderer says what is wrong with it. */
function cleanValues(context: TemplateContext, storeHosts: readonly string[]): Values | null {
  try {
    return cleanContext(context, new Set(storeHosts))
  } catch (error) {
    if (error instanceof TemplateError) return null
    throw error
  }
}

const sizeOf = ({ subject, plain, html }: Plan): number =>
  [subject, plain, html].flatMap(({ texts }) => texts).reduce((sum, text) => sum + text.length, 0)

const PARTS = ['subject', 'html', 'text', 'headers', 'links', 'leftOut'] as const

const differingParts = (one: RenderedMessage, other: RenderedMessage): string[] =>
  PARTS.filter((part) => one[part] !== other[part] && JSON.stringify(one[part]) !== JSON.stringify(other[part]))

/** `usesItems`: its template names or counts them. null: mails like this one are not planned. */
function shapeOf(values: Values, usesItems: boolean): string | null {
  const { items, coupon, entered, cartTotal, trackers, footer, isWithoutCart } = values
  if (usesItems && items.length > MAX_ITEMS) return null
  const bits = [
    isWithoutCart,
    footer.preferencesLink !== null,
    trackers.honeypotLink !== null,
    trackers.pixelUrl !== null,
    isThere(cartTotal),
    discountedTotalOf(values) === cartTotal,
  ]
  return [
    bits.map(Number).join(''),
    coupon ? stateOf(coupon) : '',
    entered ? stateOf(entered) : '',
    usesItems ? items.map(({ unitPrice, lineTotal }) => `${isThere(unitPrice)}${isThere(lineTotal)}`).join() : '',
  ].join('/')
}

const stateOf = ({ code, amount, offer, minimum, expires, total }: TemplateCoupon): string =>
  [code, amount, offer, minimum, expires, total].map(isThere).join('')

/** An empty text is something to `if`. */
const isThere = (value: string | null): 0 | 1 | 2 => (value === null ? 0 : value === '' ? 1 : 2)

/** More are named in no mail that is planned. */
const MAX_ITEMS = 50
