// Faults that tests inject: throttling, and webhooks lost, duplicated or out of order. Also logs queries for tests.
export type WebhookFault = 'none' | 'drop' | 'double' | 'reverse'

export interface QueryLogEntry {
  query: string
  /** Error codes in the response. */
  codes: string[]
}

export class Faults {
  /** Applies to deliveries queued (drop, double) or sent (reverse) from now on. */
  webhooks: WebhookFault = 'none'
  /** Affected topics; null: all. */
  topics: string[] | null = null
  /** All answered queries, oldest first. */
  readonly log: QueryLogEntry[] = []
  #throttles = 0

  /** The next `times` queries return THROTTLED, regardless of the bucket. */
  throttle(times: number) {
    this.#throttles = times
  }

  takesThrottle(): boolean {
    if (this.#throttles === 0) return false
    this.#throttles -= 1
    return true
  }

  /** How many copies of a webhook are queued. */
  copiesOf(topic: string): number {
    if (this.topics && !this.topics.includes(topic)) return 1
    if (this.webhooks === 'drop') return 0
    return this.webhooks === 'double' ? 2 : 1
  }

  record(query: string, answer: Record<string, unknown>) {
    const errors = (answer.errors ?? []) as { extensions?: { code?: string } }[]
    this.log.push({ query, codes: errors.map(({ extensions }) => extensions?.code ?? 'unnamed') })
    if (this.log.length > 2_000) this.log.splice(0, 1_000)
  }

  restore() {
    this.webhooks = 'none'
    this.topics = null
    this.#throttles = 0
  }
}
