// A rendering plan is made by the renderer itself: from values that only stand for a shopper's, where its parts are then cut. Pure but for
// chance, which names those values so that no text contains one.
import crypto from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { blocksHtml } from '../blocks.ts'
import { ITEMS_MARK } from '../compile.ts'
import { type TemplateContext, TemplateError, type TemplateSource } from '../context.ts'
import { createDraft, type Draft, type DraftTools } from '../draft.ts'
import { type Layout, renderMessage, toLayoutValues } from '../message.ts'
import { cleanContext, toShownCart, type Values } from '../values.ts'
import { arePlacesKnown } from './places.ts'
import { fillPlan, type Plan } from './plan.ts'
import { StandIns } from './stand-ins.ts'
import { trialsOf } from './trials.ts'
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
    ...{ subject: cut.subject, plain: cut.plain, html: cut.html },
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
    ...{ subject: renumbered(plan.subject), body: renumbered(plan.body) },
    ...{ plain: renumbered(plan.plain), html: renumbered(plan.html) },
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
