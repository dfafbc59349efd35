import { explain } from '../../../shared/delivery/reasons.ts'
import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import type { ClaimedRow, Decision } from '../../delivery/decide/public.ts'
import type { Cost } from '../../messages/channels/public.ts'

// Counts eligible and blocked carts or people, by reason. Pure.

/** Reasons that end by themselves, even after the age limit of a manual message. */
const TIMED = [
  'quiet_hours',
  'cooldown',
  'frequency_cap',
  'domain_throttled',
  'plan_limit',
  'budget',
  'purchase_in_progress',
]

export interface Problem {
  reason: string
  /** When a retry is possible; null: never or unknown. */
  until: Date | null
}

/** null: it would be sent. */
export function findProblem(row: Pick<ClaimedRow, 'expires_at'>, decision: Decision): Problem | null {
  if (decision.outcome === 'send') return null
  const { reason } = decision
  if (decision.outcome !== 'hold') return { reason, until: null }
  const { until } = decision
  return { reason, until: until < row.expires_at || TIMED.includes(reason) ? until : null }
}

interface BlockedReason extends Problem {
  explanation: string
  ids: string[]
  countries: Record<string, string> | null
}

export class Tally {
  readonly eligible: string[] = []
  readonly #channel: SendChannel | 'push'
  readonly #reasons = new Map<string, { ids: string[]; until: Date | null }>()
  readonly #countries = new Map<string, Record<string, string>>()
  readonly #costs = new Map<string, number>()
  segments = 0

  constructor(channel: SendChannel | 'push') {
    this.#channel = channel
  }

  add(id: string, problem: Problem | null): void {
    if (!problem) {
      this.eligible.push(id)
      return
    }
    const known = this.#reasons.get(problem.reason) ?? { ids: [], until: problem.until }
    known.ids.push(id)
    if (problem.until && (!known.until || problem.until > known.until)) known.until = problem.until
    this.#reasons.set(problem.reason, known)
  }

  /** The country whose rule requires consent. */
  name(reason: string, id: string, country: string): void {
    const known = this.#countries.get(reason) ?? {}
    known[id] = country
    this.#countries.set(reason, known)
  }

  pay({ segments, cost }: { segments: number; cost: Cost }): void {
    this.segments += segments
    this.#costs.set(cost.currency, (this.#costs.get(cost.currency) ?? 0) + cost.amountMicros)
  }

  /** A channel has one price list and one currency; null if nothing is eligible. */
  cost(): Cost | null {
    const [first] = this.#costs
    return first ? { currency: first[0], amountMicros: first[1] } : null
  }

  /** Most frequent first. */
  reasons(): BlockedReason[] {
    const sorted = [...this.#reasons].sort(([, a], [, b]) => b.ids.length - a.ids.length)
    return sorted.map(([reason, { ids, until }]) => {
      const countries = this.#countries.get(reason) ?? null
      return { reason, explanation: explain(reason, this.#channel), ids, until, countries }
    })
  }
}
