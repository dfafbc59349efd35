// Who may send how much at once by a channel. Several stores are sent for at once, and all of them together may have no more
// `sending` than the channel carries: what a crash leaves `unknown` is bounded for the process, not for each store (D10).

/** A channel, as far as its places go. */
export interface HasSlots {
  readonly poolSize: number
}

const pools = new WeakMap<HasSlots, SlotPool>()

/** This sender's part of the channel's places. Ends with `close`. */
export function joinSlots(channel: HasSlots): SlotShare {
  const pool = pools.get(channel) ?? new SlotPool(channel.poolSize)
  pools.set(channel, pool)
  return new SlotShare(pool)
}

/** How many have something in flight by the channel, or wait for a place. For tests, which begin when all have come. */
export const sendersOn = (channel: HasSlots): number => pools.get(channel)?.countAtWork() ?? 0

class SlotPool {
  readonly size: number
  readonly queue: SlotShare[] = []
  readonly senders = new Set<SlotShare>()
  #free: number

  constructor(size: number) {
    this.size = size
    this.#free = size
  }

  countAtWork(): number {
    return [...this.senders].filter((share) => share.inFlight > 0 || this.queue.includes(share)).length
  }

  take(count: number): number {
    const taken = Math.min(count, this.#free)
    this.#free -= taken
    return taken
  }

  /** Whoever has waited longest gets the next place. */
  give(count: number): void {
    this.#free += count
    while (this.#free > 0 && this.queue.length > 0) {
      this.#free -= 1
      this.queue.shift()!.grant()
    }
  }
}

export class SlotShare {
  readonly #pool: SlotPool
  #inFlight = 0
  /** Places taken and not used yet. */
  #spare = 0
  #granted = () => {}

  constructor(pool: SlotPool) {
    this.#pool = pool
    pool.senders.add(this)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * How many of `want` may be sent in the turn that writes down `answered` outcomes. While others wait for a place, no more than
   * an equal part; with more senders than places an answered one's place is the next sender's (D8).
   */
  plan(want: number, answered: number): number {
    const { size, senders, queue } = this.#pool
    const isWanted = queue.some((other) => other !== this)
    const left = Math.floor(size / senders.size) - (this.#inFlight - answered) - this.#spare
    const again = isWanted ? Math.max(0, Math.min(answered, left)) : answered
    if (!isWanted) this.#spare += this.#pool.take(Math.max(0, want - again - this.#spare))
    return Math.min(want, again + this.#spare)
  }

  /** The turn is over: so many were answered, so many started. Places not used are free again. */
  settle(answered: number, started: number): void {
    const places = this.#inFlight + this.#spare
    this.#inFlight += started - answered
    this.#spare = 0
    this.#pool.give(places - this.#inFlight)
  }

  /** Resolves when a place was kept for this sender. */
  place(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve
      if (!this.#pool.queue.includes(this)) this.#pool.queue.push(this)
    })
  }

  grant(): void {
    this.#spare += 1
    this.#granted()
  }

  /** Nothing more will be sent. What is still in flight keeps its place until `settle`. */
  close(): void {
    const { queue } = this.#pool
    if (queue.includes(this)) queue.splice(queue.indexOf(this), 1)
    this.#pool.senders.delete(this)
    this.settle(0, 0)
  }
}
