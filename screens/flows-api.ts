import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { MessagePreview } from '../shared/delivery/reminders.ts'
import { flowLibrary } from '../shared/marketing/flow-library.ts'
import {
  chooseWinner,
  copyFlow,
  createFlow,
  deleteFlow,
  type FlowStep,
  type FlowView,
  getVariantName,
  listFlows,
  orderFlows,
  previewFlow,
  type SaveEffect,
  type StepTexts,
  saveFlow,
  switchFlow,
  trySaveFlow,
} from '../shared/marketing/flows.ts'
import { type Api, fixture } from './api.ts'

// Stateful mock of the server for screens that change flows: it returns what the screen saved.

type Saved = z.output<typeof saveFlow.body>
type SavedStep = Saved['steps'][number]
type SavedVariant = NonNullable<SavedStep['variants']>[number]

export const READY = 'Abandoned cart reminders'
export const NO_EFFECT: SaveEffect = {
  moved: 0,
  dueNow: 0,
  overtaken: 0,
  cancelled: 0,
  added: 0,
  tooLate: 0,
  changed: 0,
}
const NO_COUNTS = {
  planned: 0,
  waiting: 0,
  held: 0,
  inFlight: 0,
  sent: 0,
  skipped: 0,
  failed: 0,
  unknown: 0,
  cancelled: 0,
}

export const buildReadyFlow = (): FlowView => fixture(listFlows).flows[0]! as FlowView

/** A second flow that is off and matches high-value carts. */
export const buildHighValueFlow = (): FlowView => ({
  ...buildReadyFlow(),
  id: randomUUID(),
  name: 'High-value carts',
  position: 2,
  isOn: false,
  switchedOnAt: null,
  counts: NO_COUNTS,
  conditions: flowLibrary.find(({ key }) => key === 'high_value')!.conditions,
})

/** `flows` of the result is the server's stored state. */
export function serveFlows(api: Api, flows: FlowView[] = [buildReadyFlow()]) {
  const stored = { flows }
  const find = (id: string) => stored.flows.find((flow) => flow.id === id)!
  const keep = (next: FlowView[]) => {
    stored.flows = next.map((flow, index) => ({ ...flow, position: index + 1 }))
  }
  const change = (id: string, next: Partial<FlowView>) => {
    keep(stored.flows.map((flow) => (flow.id === id ? { ...flow, ...next } : flow)))
    return { flow: find(id) }
  }
  api.answer(listFlows, () => ({ ...fixture(listFlows), flows: stored.flows }))
  api.answer(createFlow, ({ body }) => {
    const { name, conditions } = flowLibrary.find(({ key }) => key === body.from)!
    const flow = { ...buildHighValueFlow(), name, conditions }
    keep([...stored.flows, flow])
    return { flow: find(flow.id) }
  })
  api.answer(copyFlow, ({ params }) => {
    const original = find(params.flowId)
    const copy = { ...original, id: randomUUID(), name: `${original.name} (copy)`, isOn: false, counts: NO_COUNTS }
    keep(stored.flows.flatMap((flow) => (flow === original ? [flow, copy] : [flow])))
    return { flow: find(copy.id) }
  })
  api.answer(orderFlows, ({ body }) => {
    keep(body.flowIds.map(find))
    return { flows: stored.flows }
  })
  api.answer(deleteFlow, ({ params }) => {
    keep(stored.flows.filter(({ id }) => id !== params.flowId))
    return { ok: true as const, cancelled: 0 }
  })
  api.answer(switchFlow, ({ params, body }) => change(params.flowId, { isOn: body.isOn }))
  api.answer(trySaveFlow, { effect: NO_EFFECT })
  api.answer(saveFlow, ({ params, body }) => ({
    ...change(params.flowId, savedFlow(find(params.flowId), body)),
    effect: NO_EFFECT,
  }))
  api.answer(chooseWinner, ({ params, body }) => {
    const steps = find(params.flowId).steps.map((step) => {
      if (step.id !== params.stepId) return step
      const variants = step.variants.filter(({ id }) => id === body.variantId)
      return { ...step, variants: variants.map((variant) => ({ ...variant, sharePercent: 100 })) }
    })
    return change(params.flowId, { steps })
  })
  api.answer(previewFlow, ({ body }) => buildPreview(body.subject, body.body))
  return stored
}

function savedFlow(flow: FlowView, { name, conditions, steps }: Saved): Partial<FlowView> {
  return {
    name,
    ...(conditions !== undefined && { conditions }),
    steps: steps.map((step, index) => savedStep(flow, step, index)),
  }
}

function savedStep(flow: FlowView, { id, variants, ...next }: SavedStep, index: number): FlowStep {
  const stored = flow.steps.find((step) => step.id === id)
  const before = stored ?? {
    ...flow.steps[1]!,
    id: randomUUID(),
    name: 'New message',
    conditions: null,
    variantsSoFar: 0,
  }
  const words = variants?.map((variant, place) => {
    const known = before.variants.find((other) => other.id === variant.id) ?? before.variants[0]!
    const named = known.id === variant.id ? known : { ...known, id: randomUUID(), name: getVariantName(place) }
    return { ...named, sharePercent: variant.sharePercent, words: mergeContent(known.words, variant.words) }
  })
  const given = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined))
  const kept = { ...before, ...given, step: index + 1, ...(words && { variants: words, variantsSoFar: words.length }) }
  return kept as typeof before
}

/** A design comes without subject and body; a text replaces the design. */
function mergeContent(known: StepTexts, sent: SavedVariant['words']): StepTexts {
  const { design, subject, body } = sent?.email ?? {}
  const email = design
    ? { ...known.email, design }
    : { subject: subject ?? known.email.subject, body: body ?? known.email.body }
  return { ...known, ...sent, email: sent?.email ? email : known.email } as StepTexts
}

const SENT_NOW = { outcome: 'send', reason: 'ok', explanation: '', until: null, unmet: null } as const

/** Previews render the requested text with its variables; default content gets the recorded mail. */
export function buildPreview(subject = '', body = '', more: Partial<MessagePreview> = {}): MessagePreview {
  const made = fixture(previewFlow)
  const text = filledIn(body)
  const html =
    body === '' || body.startsWith('#') ? made.html : made.html.replace('We saved your cart</h1>', `${text}</h1>`)
  return { ...made, html, text, subject: filledIn(subject), decision: SENT_NOW, ...more }
}

const filledIn = (text: string) =>
  Object.entries({ customer_name: 'Olivia', store_name: 'Maple & Clay', coupon_code: 'CART-EXAMPLE' }).reduce(
    (filled, [name, value]) => filled.replaceAll(`{{ ${name} }}`, value),
    text,
  )
