import { FetchProblem } from '../../core/net/fetch-problem.ts'
import type { GuardedAnswer } from '../../core/net/guarded-fetch.ts'
import type { StoreNet } from '../platform/access.ts'
import { problemFromFetch } from '../platform/problem-from-fetch.ts'
import { StoreProblem } from '../platform/store-problem.ts'

// Reads a JSONL file of any length in chunks. Memory holds one chunk and one line.

const PIECE = 4 * 1024 * 1024
const MAX_LINE_BYTES = 4 * 1024 * 1024
const MAX_CHUNKS = 5_000
const NEWLINE = 0x0a

export interface LinesFile {
  url: string
  pieceBytes?: number
  signal?: AbortSignal | undefined
}

/** Values in order; an invalid line is `undefined`. The URL is public, so no key is sent. */
export async function* readJsonLines(net: StoreNet, file: LinesFile): AsyncGenerator<unknown> {
  const size = file.pieceBytes ?? PIECE
  let rest = Buffer.alloc(0)
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk += 1) {
    const { bytes, isLast } = await readChunk(net, file, { from: chunk * size, size })
    const text = Buffer.concat([rest, bytes])
    const end = text.lastIndexOf(NEWLINE) + 1
    yield* valuesIn(text.subarray(0, end))
    rest = text.subarray(end)
    if (isLast) return yield* valuesIn(rest)
    if (rest.length > MAX_LINE_BYTES) break
  }
  throw new StoreProblem('shopify_bad_answer', 'a file of orders that does not end')
}

function* valuesIn(text: Buffer): Generator<unknown> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(NEWLINE, start)
    const end = found < 0 ? text.length : found
    const line = text.toString('utf8', start, end).trim()
    if (line !== '') yield parse(line)
    start = end + 1
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function readChunk(net: StoreNet, { url, signal }: LinesFile, { from, size }: { from: number; size: number }) {
  const answer = await ask(net, url, {
    // A range of a compressed file would be a range of other bytes.
    headers: { range: `bytes=${from}-${from + size - 1}`, 'accept-encoding': 'identity' },
    ...(signal ? { signal } : {}),
  })
  // Beyond the end: the previous chunk ended exactly there.
  if (answer.status === 416 && from > 0) return { bytes: Buffer.alloc(0), isLast: true }
  // No range support: this is the whole file.
  if (answer.status === 200 && from === 0) return { bytes: answer.body, isLast: true }
  if (answer.status !== 206)
    throw new StoreProblem('shopify_bad_answer', `status ${answer.status} for a file of orders`)
  const total = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(answer.headers['content-range'] ?? '')?.[1]
  const isLast = total === undefined ? answer.body.length < size : from + answer.body.length >= Number(total)
  if (answer.body.length === 0 && !isLast)
    throw new StoreProblem('shopify_bad_answer', 'an empty piece of a file of orders')
  return { bytes: answer.body.subarray(0, size), isLast }
}

async function ask(net: StoreNet, url: string, request: Parameters<StoreNet['fetch']>[1]): Promise<GuardedAnswer> {
  try {
    return await net.fetch(url, request)
  } catch (error) {
    if (!(error instanceof FetchProblem) || error.kind !== 'connection_lost') throw problemFromFetch(error)
  }
  try {
    return await net.fetch(url, request)
  } catch (error) {
    throw problemFromFetch(error)
  }
}
