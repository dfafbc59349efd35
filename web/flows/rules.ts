import type { z } from 'zod'
import { isSameConditions } from '../../shared/flow-conditions.ts'
import type { FlowCounts, FlowStep, FlowView } from '../../shared/flows.ts'
import { formatCount } from '../ui/format.ts'

// The flows of a store: their order, their numbers and names. Pure.

export const channelNames: Record<FlowStep['channel'], string> = {
  email: 'Email',
  sms: 'SMS',
  whatsapp: 'WhatsApp',
  push: 'Push',
}

/** Since ever, and in the report of some days alike. */
export const CLICKED =
  'Messages through which a person clicked a link or restored the cart. Link scanners are not counted.'

type Counts = z.infer<typeof FlowCounts>
export type CountKey = Exclude<keyof Counts, 'planned'>

export const countParts: { key: CountKey; label: string; fill: string; meaning: string }[] = [
  { key: 'sent', label: 'Sent', fill: 'sent', meaning: 'accepted by the mail server or delivered' },
  { key: 'inFlight', label: 'Sending', fill: 'flight', meaning: 'being sent, no answer yet' },
  { key: 'waiting', label: 'Waiting', fill: 'waiting', meaning: 'not due yet' },
  { key: 'held', label: 'Held back', fill: 'held', meaning: 'due, but temporarily blocked' },
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

/** Said once for those who do not see the bar. */
export function countsText(counts: Counts): string {
  const parts = countParts
    .filter(({ key }) => counts[key] > 0)
    .map(({ key, label }) => `${label.toLowerCase()} ${counts[key]}`)
  return `${counts.planned} scheduled: ${parts.join(', ') || 'none'}`
}

export const stepTitle = (flow: Pick<FlowView, 'steps'>, step: number) =>
  flow.steps.find((other) => other.step === step)?.templateName ?? `Message ${step}`

type Taker = Pick<FlowView, 'position' | 'conditions'>

/** The flow above this one that is on and takes every cart, or all that this one would. null: carts are left for it. */
export const takenBy = (flows: readonly FlowView[], { position, conditions }: Taker): FlowView | null =>
  flows.find(
    (other) =>
      other.position < position && other.isOn && (!other.conditions || isSameConditions(other.conditions, conditions)),
  ) ?? null

const takesText = ({ conditions }: Pick<FlowView, 'conditions'>) =>
  conditions ? 'has the same conditions' : 'takes every cart'

/** What to do about it, in words; null: carts are left for it. */
export function takenText(flows: readonly FlowView[], flow: Taker & Pick<FlowView, 'isOn'>): string | null {
  const above = takenBy(flows, flow)
  const gets = flow.isOn ? 'gets' : 'would get'
  if (!above) return null
  const advice = above.conditions ? 'change the conditions of one of them' : 'give that one conditions'
  return `“${above.name}” stands above it and ${takesText(above)}, so this flow ${gets} none. Move it up, or ${advice}.`
}

/** Of carts that were left before a flow is switched on: what becomes of those of the last day, `count` of which no other flow has taken. */
export function recentText(count: number | undefined, above: Pick<FlowView, 'name' | 'conditions'> | null): string {
  if (count === 0 && above)
    return `No cart is left for this flow: “${above.name}” stands above it and ${takesText(above)}.`
  if (count === 0) return 'There is none that no other flow has taken.'
  return above && count !== undefined
    ? `They were left before “${above.name}” was switched on, so no flow has taken them.`
    : 'Those that were left before them get none from this flow.'
}

/** Of a flow that was on before: its messages that wait since. null: there are none. */
export function goesOnText({ waiting, held }: Pick<Counts, 'waiting' | 'held'>): string | null {
  const open = waiting + held
  if (open === 0) return null
  return open === 1
    ? 'One message planned before goes on when it is due, if it is not too late by then.'
    : `${formatCount(open)} messages planned before go on when they are due, if it is not too late by then.`
}

/** Those that are not named stay behind the others. */
export function inOrder(flows: readonly FlowView[], ids: readonly string[]): FlowView[] {
  const place = (id: string) => (ids.includes(id) ? ids.indexOf(id) : ids.length)
  return flows.toSorted((a, b) => place(a.id) - place(b.id)).map((flow, index) => ({ ...flow, position: index + 1 }))
}

/** In the place of the one with its id; a new one at its position, and those behind it go on. */
export function withFlow(flows: readonly FlowView[], flow: FlowView): FlowView[] {
  if (flows.some(({ id }) => id === flow.id)) return flows.map((other) => (other.id === flow.id ? flow : other))
  return [...flows.slice(0, flow.position - 1), flow, ...flows.slice(flow.position - 1)].map((each, index) => ({
    ...each,
    position: index + 1,
  }))
}

/** Of the address of a flow's page: its first message is opened, at its preview. */
export const PREVIEW_HASH = '#preview'
