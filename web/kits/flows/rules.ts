import type { z } from 'zod'
import { isSameConditions } from '../../../shared/carts/flow-conditions.ts'
import type { FlowCounts, FlowStep, FlowView } from '../../../shared/marketing/flows.ts'
import { formatCount } from '../../core/ui/format.ts'

// Order, figures and names of a store's flows. Pure.

export const channelNames: Record<FlowStep['channel'], string> = {
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'Push',
}

/** Shared by all-time figures and the report of a period. */
export const CLICKED = 'Messages in which a shopper clicked a link or restored the cart. Link scanners are not counted.'

type Counts = z.infer<typeof FlowCounts>
export type CountKey = Exclude<keyof Counts, 'planned'>

export const countParts: { key: CountKey; label: string; fill: string; meaning: string }[] = [
  { key: 'sent', label: 'Sent', fill: 'sent', meaning: 'sent, delivered or not' },
  { key: 'inFlight', label: 'Sending', fill: 'flight', meaning: 'being sent now' },
  { key: 'waiting', label: 'Waiting', fill: 'waiting', meaning: 'not due yet' },
  { key: 'held', label: 'On hold', fill: 'held', meaning: 'due, but temporarily blocked' },
  { key: 'skipped', label: 'Not sent', fill: 'skipped', meaning: 'not sent, with a reason' },
  {
    key: 'cancelled',
    label: 'Cancelled',
    fill: 'cancelled',
    meaning: 'no longer needed, for example after a purchase',
  },
  { key: 'unknown', label: 'Unknown', fill: 'unknown', meaning: 'sent, but no answer came' },
  { key: 'failed', label: 'Failed', fill: 'failed', meaning: 'permanently refused' },
]

/** Text alternative of the bar for screen readers. */
export function describeCounts(counts: Counts): string {
  const parts = countParts
    .filter(({ key }) => counts[key] > 0)
    .map(({ key, label }) => `${label.toLowerCase()} ${counts[key]}`)
  return `${counts.planned} scheduled: ${parts.join(', ') || 'none'}`
}

export const nameStep = (flow: Pick<FlowView, 'steps'>, step: number) =>
  flow.steps.find((other) => other.step === step)?.templateName ?? `Message ${step}`

/** A template's text for reading: “your cart at [store name]”. `known` has values to show instead of names. */
export const formatVariables = (text: string, known: Partial<Record<string, string>> = {}): string =>
  text.replace(
    /\{\{ ?(\w{1,60})\b[^{}]{0,200}\}\}/g,
    (_, name: string) => known[name] ?? `[${name.replaceAll('_', ' ')}]`,
  )

type FlowMatcher = Pick<FlowView, 'position' | 'conditions'>

/** The active flow above that matches every cart, or all that this one would match. null: carts remain. */
export const findTakingFlow = (flows: readonly FlowView[], { position, conditions }: FlowMatcher): FlowView | null =>
  flows.find(
    (other) =>
      other.position < position && other.isOn && (!other.conditions || isSameConditions(other.conditions, conditions)),
  ) ?? null

const describeMatch = ({ conditions }: Pick<FlowView, 'conditions'>) =>
  conditions ? 'has the same conditions' : 'handles every cart'

/** How to fix it, as text; null: carts remain. */
export function explainNoCarts(flows: readonly FlowView[], flow: FlowMatcher & Pick<FlowView, 'isOn'>): string | null {
  const above = findTakingFlow(flows, flow)
  const gets = flow.isOn ? 'gets' : 'would get'
  if (!above) return null
  const advice = above.conditions ? 'change the conditions of one flow' : 'add conditions to that flow'
  return `“${above.name}” is above this flow and ${describeMatch(above)}, so this flow ${gets} no carts. Move it up, or ${advice}.`
}

/** What happens to carts abandoned in the day before switching on; `count` of them have no other flow. */
export function describeRecentCarts(
  count: number | undefined,
  above: Pick<FlowView, 'name' | 'conditions'> | null,
): string {
  if (count === 0 && above) return `No carts for this flow: “${above.name}” is above it and ${describeMatch(above)}.`
  if (count === 0) return 'No unassigned carts in the last 24 hours.'
  return above && count !== undefined
    ? `Abandoned before “${above.name}” was switched on, so no flow handles them.`
    : 'Older carts get no messages from this flow.'
}

/** For a flow that was on before: its waiting messages. null: none. */
export function describeContinuing({ waiting, held }: Pick<Counts, 'waiting' | 'held'>): string | null {
  const open = waiting + held
  if (open === 0) return null
  return open === 1
    ? 'One message scheduled earlier is sent when due, unless it has expired.'
    : `${formatCount(open)} messages scheduled earlier are sent when due, unless they have expired.`
}

/** Flows not named keep their order behind the others. */
export function sortFlows(flows: readonly FlowView[], ids: readonly string[]): FlowView[] {
  const place = (id: string) => (ids.includes(id) ? ids.indexOf(id) : ids.length)
  return flows.toSorted((a, b) => place(a.id) - place(b.id)).map((flow, index) => ({ ...flow, position: index + 1 }))
}

/** The flows without those of `ids`, renumbered. */
export const removeFlows = (flows: readonly FlowView[], ids: ReadonlySet<string>): FlowView[] =>
  flows.some(({ id }) => ids.has(id))
    ? flows.filter(({ id }) => !ids.has(id)).map((flow, index) => ({ ...flow, position: index + 1 }))
    : [...flows]

/** Replaces the flow with the same id; a new one is inserted at its position. */
export function insertFlow(flows: readonly FlowView[], flow: FlowView): FlowView[] {
  if (flows.some(({ id }) => id === flow.id)) return flows.map((other) => (other.id === flow.id ? flow : other))
  return [...flows.slice(0, flow.position - 1), flow, ...flows.slice(flow.position - 1)].map((each, index) => ({
    ...each,
    position: index + 1,
  }))
}

/** Address of a flow's page with its first message open at the preview. */
export const PREVIEW_HASH = '#preview'
