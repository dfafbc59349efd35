import type { StripeState } from './state.ts'

export interface Call<P> {
  world: StripeState
  /** The parameters, read by their declared types. */
  params: P
  /** The id in the path. */
  id: string
}

/** Handles a call. Its parameters were checked against the operation's declaration, so it may use the SDK's type. */
export type Handler = (call: Call<never>) => object

export type Handlers = Record<string, Handler>
