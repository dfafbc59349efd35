import type { CartStage } from '../../../shared/carts/reach.ts'
import { formatChange } from '../../../shared/core/percent.ts'
import {
  type AnalyticsRange,
  analyticsRanges,
  DEFAULT_RANGE,
  type Funnel,
  type FunnelChannel,
} from '../../../shared/insights/analytics.ts'
import { buildFunnelDefinitions } from '../../../shared/insights/analytics-definitions.ts'

// Derives the texts and values of Advanced Analytics from the server's answers. Pure.

/** Text for data that is not counted yet. */
export const BEING_COUNTED = 'These figures are being counted'

export const rangeLabels: Record<AnalyticsRange, string> = {
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last 12 months',
}

export const parseRange = (text: string | null): AnalyticsRange =>
  analyticsRanges.find((range) => range === text) ?? DEFAULT_RANGE

export type Tone = 'good' | 'bad' | 'quiet'

/** Whether a change is an improvement; `isLoss`: lower is better. */
export function chooseTone(change: number | null, isLoss: boolean): Tone {
  if (change === null || formatChange(change) === '0.0%') return 'quiet'
  return change > 0 === isLoss ? 'bad' : 'good'
}

export interface Stage {
  label: string
  count: number
  /** Length of the bar: percent of the carts created, never above 100 (B 9). */
  width: number
  /** Share of the carts created; null without any. */
  share: number | null
  definition: string
  /** Link to the cart list; null if the list cannot show these carts. */
  filter: CartStage | null
}

const sentLabels: Record<FunnelChannel, string> = {
  all: 'Messages sent',
  email: 'Emails sent',
  sms: 'SMS sent',
  whatsapp: 'WhatsApp messages sent',
  push: 'Notifications sent',
}

/** Only emails have opens, because they load an image. */
export function buildStages(funnel: Funnel, channel: FunnelChannel): Stage[] {
  const means = buildFunnelDefinitions(channel)
  const stage = (name: keyof Funnel, label: string, filter: CartStage | null): Stage => {
    const count = funnel[name]
    const share = funnel.cartsCreated > 0 ? count / funnel.cartsCreated : null
    return { label, count, share, width: Math.min(100, (share ?? 0) * 100), definition: means[name], filter }
  }
  return [
    // The cart list filters by the abandonment date.
    stage('cartsCreated', 'Carts created', null),
    stage('emailsSent', sentLabels[channel], 'sent'),
    ...(channel === 'all' || channel === 'email' ? [stage('emailsOpened', 'Emails opened', 'opened')] : []),
    stage('clicks', 'Clicks', 'clicked'),
    stage('conversions', 'Conversions', 'converted'),
  ]
}

/** `2026-03` → `Mar 2026`. */
export const formatMonth = (month: string) => MONTH.format(Date.parse(`${month}-01T00:00:00Z`))
const MONTH = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `Oct 30 – Nov 28`. */
export const formatDays = ({ firstDay, lastDay }: { firstDay: string; lastDay: string }) =>
  DAY.formatRange(Date.parse(firstDay), Date.parse(lastDay)).replaceAll('\u2009', ' ')
const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Open sections of the address: `#roi,reach`. */
export const readSections = (hash: string): string[] => hash.replace(/^#/, '').split(',').filter(Boolean)
export const writeSections = (open: readonly string[]) => (open.length > 0 ? `#${open.join(',')}` : '')
