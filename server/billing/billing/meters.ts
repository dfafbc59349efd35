import { type Meter, type MeteredChannel, NEAR_PERCENT, type PlanLimits } from '../../../shared/billing.ts'

// What a month has used of a plan (decision 87). Pure.

export const limitOf = (limits: PlanLimits): Record<MeteredChannel, number> => ({
  email: limits.maxEmailsPerMonth,
  sms: limits.maxSmsPerMonth,
  whatsapp: limits.maxWhatsappPerMonth,
})

/** A limit of -1 is never near, and of 0 there is nothing to use up. */
export function levelOf(used: number, limit: number): Meter['level'] {
  if (limit <= 0) return 'ok'
  if (used >= limit) return 'full'
  return used >= nearFrom(limit) ? 'near' : 'ok'
}

/** From this many on. */
export const nearFrom = (limit: number): number => Math.ceil((limit * NEAR_PERCENT) / 100)

interface Counted {
  channel: string
}

interface Counts {
  usage: readonly (Counted & { used: number })[]
  waiting: readonly (Counted & { held: number; expiring: number })[]
}

/** One for each channel that a plan counts. */
export function metersOf(limits: PlanLimits, { usage, waiting }: Counts): Meter[] {
  return Object.entries(limitOf(limits)).map(([name, limit]) => {
    const channel = name as MeteredChannel
    const used = usage.find((each) => each.channel === channel)?.used ?? 0
    const { held, expiring } = waiting.find((each) => each.channel === channel) ?? { held: 0, expiring: 0 }
    return { channel, used, limit, held, expiring, level: levelOf(used, limit) }
  })
}
