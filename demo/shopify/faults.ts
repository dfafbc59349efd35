// What goes wrong when a test says so: throttling, webhooks lost, doubled or out of order. And what was asked, to be looked at.
export type WebhookFault = 'none' | 'drop' | 'double' | 'reverse'

export interface Told {
  query: string
  /** Codes of the errors in the answer. */
  codes: string[]
}

export class Faults {
  /** Of deliveries that are queued (drop, double) or sent (reverse) from now on. */
  webhooks: WebhookFault = 'none'
  /** Which topics it concerns; null: all. */
  topics: string[] | null = null
  /** Every query that was answered, oldest first. */
  readonly told: Told[] = []
  #throttles = 0

  /** The next `times` queries are answered with THROTTLED, however full the bucket is. */
  throttle(times: number) {
    this.#throttles = times
  }

  takesThrottle(): boolean {
    if (this.#throttles === 0) return false
    this.#throttles -= 1
    return true
  }

  /** How often a webhook of the topic is queued. */
  copiesOf(topic: string): number {
    if (this.topics && !this.topics.includes(topic)) return 1
    if (this.webhooks === 'drop') return 0
    return this.webhooks === 'double' ? 2 : 1
  }

  tell(query: string, answer: Record<string, unknown>) {
    const errors = (answer.errors ?? []) as { extensions?: { code?: string } }[]
    this.told.push({ query, codes: errors.map(({ extensions }) => extensions?.code ?? 'unnamed') })
    if (this.told.length > 2_000) this.told.splice(0, 1_000)
  }

  restore() {
    this.webhooks = 'none'
    this.topics = null
    this.#throttles = 0
  }
}
