// Who may put how much on a channel's wire. Several stores are sent for at once, and all of them together may have no more
// `handed_over` than the channel carries: what a crash leaves `unknown` is bounded for the process, not for each store (D10).

/** A channel, as far as its places go. */
export interface Wired {
  readonly poolSize: number
}

const wires = new WeakMap<Wired, Wire>()

/** This sender's part of the channel's places. Ends with `leave`. */
export function joinWire(channel: Wired): WireShare {
  const wire = wires.get(channel) ?? new Wire(channel.poolSize)
  wires.set(channel, wire)
  return new WireShare(wire)
}

class Wire {
  readonly size: number
  readonly queue: WireShare[] = []
  senders = 0
  #free: number

  constructor(size: number) {
    this.size = size
    this.#free = size
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

export class WireShare {
  readonly #wire: Wire
  #onWire = 0
  /** Places taken and not used yet. */
  #spare = 0
  #granted = () => {}

  constructor(wire: Wire) {
    this.#wire = wire
    wire.senders += 1
  }

  get onWire(): number {
    return this.#onWire
  }

  /**
   * How many of `want` may leave in the turn that writes down `answered` outcomes. While others wait for a place, no more than
   * an equal part; with more senders than places an answered one's place is the next sender's (D8).
   */
  plan(want: number, answered: number): number {
    const { size, senders, queue } = this.#wire
    const isWanted = queue.some((other) => other !== this)
    const left = Math.floor(size / senders) - (this.#onWire - answered) - this.#spare
    const again = isWanted ? Math.max(0, Math.min(answered, left)) : answered
    if (!isWanted) this.#spare += this.#wire.take(Math.max(0, want - again - this.#spare))
    return Math.min(want, again + this.#spare)
  }

  /** The turn is over: so many were answered, so many left. Places not used are free again. */
  settle(answered: number, left: number): void {
    const places = this.#onWire + this.#spare
    this.#onWire += left - answered
    this.#spare = 0
    this.#wire.give(places - this.#onWire)
  }

  /** Resolves when a place was kept for this sender. */
  place(): Promise<void> {
    return new Promise((resolve) => {
      this.#granted = resolve
      if (!this.#wire.queue.includes(this)) this.#wire.queue.push(this)
    })
  }

  grant(): void {
    this.#spare += 1
    this.#granted()
  }

  /** Nothing more is going to leave. What is still on the wire keeps its place until `settle`. */
  leave(): void {
    const { queue } = this.#wire
    if (queue.includes(this)) queue.splice(queue.indexOf(this), 1)
    this.#wire.senders -= 1
    this.settle(0, 0)
  }
}
