import { type Meter, type MeteredChannel, NEAR_PERCENT, type PlanLimits } from '../../../shared/billing/billing.ts'

// A month's usage of a plan (decision 87). Pure.

export const toChannelLimits = (limits: PlanLimits): Record<MeteredChannel, number> => ({
  email: limits.maxEmailsPerMonth,
  sms: limits.maxSmsPerMonth,
  whatsapp: limits.maxWhatsappPerMonth,
})

/** Always ok for a limit of -1 (unlimited) or 0. */
export function findLevel(used: number, limit: number): Meter['level'] {
  if (limit <= 0) return 'ok'
  if (used >= limit) return 'full'
  return used >= computeNearThreshold(limit) ? 'near' : 'ok'
}

/** Usage from which a limit counts as nearly reached. */
export const computeNearThreshold = (limit: number): number => Math.ceil((limit * NEAR_PERCENT) / 100)

interface ChannelUsage {
  channel: string
}

interface UsageCounts {
  usage: readonly (ChannelUsage & { used: number })[]
  waiting: readonly (ChannelUsage & { held: number; expiring: number })[]
}

/** One meter per channel of the plan. */
export function buildMeters(limits: PlanLimits, { usage, waiting }: UsageCounts): Meter[] {
  return Object.entries(toChannelLimits(limits)).map(([name, limit]) => {
    const channel = name as MeteredChannel
    const used = usage.find((each) => each.channel === channel)?.used ?? 0
    const { held, expiring } = waiting.find((each) => each.channel === channel) ?? { held: 0, expiring: 0 }
    return { channel, used, limit, held, expiring, level: findLevel(used, limit) }
  })
}
