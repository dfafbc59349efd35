import type { StripeState } from './world.ts'

export interface Call<P> {
  world: StripeState
  /** The parameters, read by their declared types. */
  params: P
  /** The id in the address. */
  id: string
}

/** Answers a call of Stripe's API. Its parameters are those that the operation declares, so it may name the SDK's type. */
export type Handler = (call: Call<never>) => object

export type Handlers = Record<string, Handler>
