import {
  type AnalyticsRange,
  analyticsRanges,
  DEFAULT_RANGE,
  type Funnel,
  type FunnelChannel,
} from '../../shared/analytics.ts'

// What Advanced Analytics shows of what it was told. Pure.

export const rangeLabels: Record<AnalyticsRange, string> = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last year',
}

export const rangeOf = (text: string | null): AnalyticsRange =>
  analyticsRanges.find((range) => range === text) ?? DEFAULT_RANGE

/** Rates are fractions, shown as percent with 2 decimals (B 3); `–` where there is nothing to have a share of. */
export const percent = (fraction: number | null) => (fraction === null ? '–' : `${(fraction * 100).toFixed(2)}%`)

/** Changes with one decimal and their sign (B 9): `+20.0%`. */
export function changeText(change: number | null): string {
  if (change === null) return '–'
  const size = Math.abs(change * 100).toFixed(1)
  return Number(size) === 0 ? '0.0%' : `${change > 0 ? '+' : '−'}${size}%`
}

export type Tone = 'good' | 'bad' | 'quiet'

/** Whether a change is welcome; `isLoss`: fewer is better. */
export function toneOf(change: number | null, isLoss: boolean): Tone {
  if (change === null || changeText(change) === '0.0%') return 'quiet'
  return change > 0 === isLoss ? 'bad' : 'good'
}

export interface Stage {
  label: string
  count: number
  /** Of the carts created, in percent and never above 100 (B 9): the length of its bar. */
  width: number
  /** Of the carts created; null without any. */
  share: number | null
  definition: string
}

const sentNames: Record<FunnelChannel, [sent: string, what: string]> = {
  all: ['Messages sent', 'message'],
  email: ['Emails sent', 'email'],
  sms: ['SMS sent', 'SMS'],
  whatsapp: ['WhatsApp messages sent', 'WhatsApp message'],
  push: ['Notifications sent', 'notification'],
}

/** Opens exist where there is a picture to load: of emails. */
export function stagesOf(funnel: Funnel, channel: FunnelChannel): Stage[] {
  const [sent, what] = sentNames[channel]
  const stage = (label: string, count: number, definition: string): Stage => {
    const share = funnel.cartsCreated > 0 ? count / funnel.cartsCreated : null
    return { label, count, share, width: Math.min(100, (share ?? 0) * 100), definition }
  }
  const opened = stage(
    'Emails opened',
    funnel.emailsOpened,
    'Carts with at least one email that a person opened, as their mail program reports it. Opens by machines do not count; blocked pictures hide opens.',
  )
  return [
    stage('Carts created', funnel.cartsCreated, 'Carts that began in these days. All other stages count these carts.'),
    stage(sent, funnel.emailsSent, `Carts with at least one ${what} handed over and not refused.`),
    ...(channel === 'all' || channel === 'email' ? [opened] : []),
    stage('Clicks', funnel.clicks, `Carts with at least one link of a ${what} clicked by a person.`),
    stage(
      'Conversions',
      funnel.conversions,
      channel === 'all'
        ? 'Carts bought after a click in a message, its coupon or a restored cart.'
        : `Carts bought after a click in the ${what}, its coupon or a restored cart.`,
    ),
  ]
}

/** Whether some stage exceeds one before it, which the screen explains. */
export const isUneven = (stages: readonly Stage[]) =>
  stages.some((stage, place) => place > 0 && stage.count > stages[place - 1]!.count)

/** Hours after leaving, as people say them: `3–6 h`, `2–3 days`. */
export function hourLabel(fromHour: number, bounds: readonly number[]): string {
  const until = bounds[bounds.indexOf(fromHour) + 1]
  const isDays = fromHour >= 24
  const [from, to] = isDays ? [fromHour / 24, until && until / 24] : [fromHour, until]
  const unit = isDays ? 'days' : 'h'
  if (to === undefined) return `${from} ${unit} and more`
  if (fromHour === 0) return 'Within 1 h'
  return `${from}–${to} ${unit}`
}
