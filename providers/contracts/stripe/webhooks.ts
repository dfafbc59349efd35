import Stripe from 'stripe'
import type { StripeState } from './state.ts'

// The queue of events to the application. Stripe guarantees no order and may repeat events, so tests can change the
// queue.

export interface Delivery {
  event: Stripe.Event
  payload: string
  isForged: boolean
  /** Earliest second on the server's clock. */
  notBefore: number
  /** Replies of the application so far. */
  answers: number[]
}

/** A URL, or a function that takes body and `Stripe-Signature` header and returns a status. */
export type Target = string | ((payload: string, signature: string, event: Stripe.Event) => Promise<number>)

/** There was no listener, or the connection broke. */
const NO_ANSWER = 0

type Endpoint = (event: Stripe.Event, at: number) => boolean

export class Webhooks {
  private queue: Delivery[] = []
  private followed: Target | null = null
  private running: Promise<unknown> = Promise.resolve()
  private readonly world: StripeState
  private readonly secret: string
  private readonly signedAt: () => Date

  constructor(world: StripeState, secret: string, signedAt: () => Date) {
    this.world = world
    this.secret = secret
    this.signedAt = signedAt
    world.onEvent = (event) => {
      this.queue.push(buildDelivery(event))
      if (this.followed) this.deliverSoon(this.followed)
    }
  }

  /** Delivers every event from now on as soon as it happens; null: events wait again. */
  deliverTo(target: Target | null): void {
    this.followed = target
    if (target) this.deliverSoon(target)
  }

  /** Resolves when all deliveries started by `deliverTo` have ended. */
  async idle(): Promise<void> {
    for (let running: Promise<unknown> | null = null; running !== this.running; await running) running = this.running
  }

  private deliverSoon(target: Target): void {
    this.running = this.running.then(() => this.deliverAll(target))
  }

  /** Waiting events in the order of delivery. */
  waiting(): Stripe.Event[] {
    return this.queue.map(({ event }) => event)
  }

  /**
   * Delivers due events, and those that become due by them. A reply other than 2xx keeps the event in the queue, as
   * Stripe repeats it. Returns the deliveries. `as`: URL of the endpoint, created through the API, that the target
   * stands for.
   */
  async deliverAll(target: Target, as: Target = target): Promise<Delivery[]> {
    const endpoint = this.world.all('webhook_endpoint').find(({ url }) => url === as)
    const done: Delivery[] = []
    for (;;) {
      const next = this.queue.find((one) => one.notBefore <= this.world.now && !done.includes(one))
      if (!next) return done
      if (endpoint && !isSubscribed(next.event, endpoint)) {
        this.drop((event) => event === next.event)
        continue
      }
      done.push(next)
      const answer = await this.deliver(next, target, endpoint?.secret ?? this.secret)
      next.answers.push(answer)
      if (answer >= 200 && answer < 300) this.queue = this.queue.filter((one) => one !== next)
    }
  }

  /** `random` returns 0 to 1. */
  shuffle(random: () => number = Math.random): void {
    for (let at = this.queue.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      const held = this.queue[at]!
      this.queue[at] = this.queue[other]!
      this.queue[other] = held
    }
  }

  /** Delivers each chosen event once more, after all others. */
  double(chosen: Endpoint = () => true): void {
    this.queue.push(...this.queue.filter(({ event }, at) => chosen(event, at)).map(({ event }) => buildDelivery(event)))
  }

  /** Drops the chosen events. */
  drop(chosen: Endpoint = () => true): void {
    this.queue = this.queue.filter(({ event }, at) => !chosen(event, at))
  }

  /** Delays the chosen events by this many seconds of the server's clock. */
  delay(seconds: number, chosen: Endpoint = () => true): void {
    for (const [at, one] of this.queue.entries()) if (chosen(one.event, at)) one.notBefore = this.world.now + seconds
  }

  /** Creates an event that Stripe did not send, signed with a wrong secret. */
  forge(type: Stripe.Event['type'], object: object): void {
    const like = { id: this.world.id('evt'), object: 'event', type, created: this.world.now, livemode: false }
    const event = { ...like, data: { object } } as unknown as Stripe.Event
    this.queue.push({ ...buildDelivery(event), isForged: true })
  }

  /** Header and body of an event as it would be delivered now. */
  signed(event: Stripe.Event, secret = this.secret): { payload: string; signature: string } {
    const payload = JSON.stringify(event, null, 2)
    return { payload, signature: this.sign(payload, secret) }
  }

  private async deliver(delivery: Delivery, target: Target, own: string): Promise<number> {
    const secret = delivery.isForged ? 'whsec_of_somebody_else' : own
    const signature = this.sign(delivery.payload, secret)
    if (typeof target === 'function') return target(delivery.payload, signature, delivery.event)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
    try {
      const answer = await fetch(target, { method: 'POST', headers, body: delivery.payload, redirect: 'manual' })
      await answer.text()
      return answer.status
    } catch {
      return NO_ANSWER
    }
  }

  private sign(payload: string, secret: string): string {
    const timestamp = Math.floor(this.signedAt().getTime() / 1000)
    return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  }
}

const buildDelivery = (event: Stripe.Event): Delivery => ({
  event,
  payload: JSON.stringify(event, null, 2),
  isForged: false,
  notBefore: 0,
  answers: [],
})

/** Filters by the event types that an endpoint has asked for. */
const isSubscribed = ({ type }: Stripe.Event, { enabled_events: enabledEvents, status }: Stripe.WebhookEndpoint) =>
  status === 'enabled' && (enabledEvents.includes('*') || enabledEvents.includes(type))
