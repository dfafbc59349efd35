import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

// A benchmark's external systems in separate processes, so that they do not share a thread with the measured code.

export interface Helper {
  port: number
  ask<Answer>(message: object): Promise<Answer>
  stop(): Promise<void>
}

async function startHelper(file: string): Promise<ChildProcess> {
  return fork(new URL(file, import.meta.url), { execArgv: [] })
}

async function startWithPort(file: string): Promise<Helper> {
  const child = await startHelper(file)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { port, ask: (message) => sendAndWait(child, message), stop: () => stop(child) }
}

export interface SinkTally {
  mails: number
  bytes: number
  connections: number
}

export const startSink = (): Promise<Helper> => startWithPort('./sink.ts')

/** Received emails of a campaign; times are wall-clock times. */
export interface Arrivals {
  mails: number
  firstAt: number | null
  lastAt: number | null
  /** With `of`: times at which this recipient got emails. */
  at?: number[]
  /** With `isAll`: number of emails per recipient. */
  counts?: [recipient: string, mails: number][]
}

/** `forget` resets the record. */
export const startRecipientsSink = (): Promise<Helper> => startWithPort('./recipients-sink.ts')
/** Polls an address continuously. Its `port` is unused. */
export const startProbe = (): Promise<Helper> => startWithPort('./probe.ts')
export const startEmptyShops = (): Promise<Helper> => startWithPort('./empty-shop.ts')
export const startHangingShops = (): Promise<Helper> => startWithPort('./hanging-shop.ts')

export interface LoadResult {
  /** Milliseconds per request. */
  latencies: number[]
  /** Number of responses by status. */
  answers: Record<string, number>
  seconds: number
}

/** Posts ready-made requests from another process. */
export async function postAll(order: {
  port: number
  connections: number
  requests: string[]
  perSecond: number | null
}): Promise<LoadResult> {
  const child = await startHelper('./load.ts')
  const answer = await sendAndWait<LoadResult>(child, order)
  await stop(child)
  return answer
}

async function sendAndWait<Answer>(child: ChildProcess, message: object): Promise<Answer> {
  const answer = once(child, 'message')
  child.send(message)
  return (await answer)[0] as Answer
}

async function stop(child: ChildProcess): Promise<void> {
  child.disconnect()
  if (child.exitCode === null) await once(child, 'exit')
}
