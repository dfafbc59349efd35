import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

// The outside world of a benchmark, in processes of its own: it must not share the thread of what is measured.

export interface Helper {
  port: number
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

async function startHelper(file: string): Promise<ChildProcess> {
  return fork(new URL(file, import.meta.url), { execArgv: [] })
}

async function withPort(file: string): Promise<Helper> {
  const child = await startHelper(file)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { port, ask: (message) => ask(child, message), stop: () => stop(child) }
}

export interface SinkTally {
  mails: number
  bytes: number
  connections: number
}

export const startSink = (): Promise<Helper> => withPort('./sink.ts')

/** What has come for a campaign; times are those of the clock. */
export interface Arrivals {
  mails: number
  firstAt: number | null
  lastAt: number | null
  /** Asked with `of`: when this recipient got one. */
  at?: number[]
  /** Asked with `isAll`: how many each recipient got. */
  counts?: [recipient: string, mails: number][]
}

/** Told to `forget`, it begins anew. */
export const startRecipientsSink = (): Promise<Helper> => withPort('./recipients-sink.ts')
/** Asks an address all the time; its port says nothing. */
export const startProbe = (): Promise<Helper> => withPort('./probe.ts')
export const startEmptyShops = (): Promise<Helper> => withPort('./empty-shop.ts')
export const startHangingShops = (): Promise<Helper> => withPort('./hanging-shop.ts')

export interface LoadAnswer {
  /** Milliseconds per request. */
  latencies: number[]
  /** How often each status was answered. */
  answers: Record<string, number>
  seconds: number
}

/** Posts ready-made requests from another process. */
export async function postAll(order: {
  port: number
  connections: number
  requests: string[]
  perSecond: number | null
}): Promise<LoadAnswer> {
  const child = await startHelper('./load.ts')
  const answer = await ask<LoadAnswer>(child, order)
  await stop(child)
  return answer
}

async function ask<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const answer = once(child, 'message')
  child.send(message)
  return (await answer)[0] as Answer
}

async function stop(child: ChildProcess): Promise<void> {
  child.disconnect()
  if (child.exitCode === null) await once(child, 'exit')
}
