// A semaphore per channel. Several stores send at once, and together they have at most `poolSize` messages in flight.
// So a crash leaves at most that many `unknown` messages per process, not per store (D10).

/** The part of a channel that the slots need. */
export interface HasSlots {
  readonly poolSize: number
}

const pools = new WeakMap<HasSlots, SlotPool>()

/** Registers a sender with the channel's slots. The sender calls `close` at its end. */
export function joinSlots(channel: HasSlots): SlotShare {
  const pool = pools.get(channel) ?? new SlotPool(channel.poolSize)
  pools.set(channel, pool)
  return new SlotShare(pool)
}

/** Counts senders with messages in flight or waiting for a slot. For tests. */
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

  /** Frees slots. The sender that has waited longest gets the next one. */
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
  /** Slots taken and not used yet. */
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
   * Returns how many of `want` messages the turn that stores `answered` replies may start. While others wait for a
   * slot, a sender gets at most an equal share. With more senders than slots, the slot of an answered message goes to
   * the next sender (D8).
   */
  plan(want: number, answered: number): number {
    const { size, senders, queue } = this.#pool
    const isWanted = queue.some((other) => other !== this)
    const left = Math.floor(size / senders.size) - (this.#inFlight - answered) - this.#spare
    const again = isWanted ? Math.max(0, Math.min(answered, left)) : answered
    if (!isWanted) this.#spare += this.#pool.take(Math.max(0, want - again - this.#spare))
    return Math.min(want, again + this.#spare)
  }

  /** Ends a turn in which `answered` messages ended and `started` ones began. Frees unused slots. */
  finishTurn(answered: number, started: number): void {
    const places = this.#inFlight + this.#spare
    this.#inFlight += started - answered
    this.#spare = 0
    this.#pool.give(places - this.#inFlight)
  }

  /** Resolves when a slot is reserved for this sender. */
  waitForSlot(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve
      if (!this.#pool.queue.includes(this)) this.#pool.queue.push(this)
    })
  }

  grant(): void {
    this.#spare += 1
    this.#granted()
  }

  /** Leaves the pool. Messages still in flight keep their slots until `finishTurn`. */
  close(): void {
    const { queue } = this.#pool
    if (queue.includes(this)) queue.splice(queue.indexOf(this), 1)
    this.#pool.senders.delete(this)
    this.finishTurn(0, 0)
  }
}
