import { setTimeout as sleep } from 'node:timers/promises'
import {
  type OrderPage,
  type OrderQuery,
  type Page,
  type StoreClient,
  StoreProblem,
} from '../../platforms/platform/public.ts'

// Reads page by page. If a store asks us to wait, waits as long as it says, a few times, and continues at that page.

const MAX_WAITS = 3
const LONGEST_WAIT_MS = 30_000
const USUAL_WAIT_MS = 5_000

export function readOrderPages(client: StoreClient, query: OrderQuery): AsyncGenerator<OrderPage> {
  let modifiedSince = query.modifiedSince
  return patiently(
    () => client.orders({ ...query, modifiedSince }),
    (page) => {
      modifiedSince = page.resumeFrom ?? modifiedSince
    },
    query.signal,
  )
}

/** For listings with page numbers. */
export function numberedPages<Row>(
  open: (firstPage: number) => AsyncIterable<Page<Row>>,
  firstPage: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Page<Row>> {
  let next = firstPage
  return patiently(
    () => open(next),
    (page) => {
      next = page.page + 1
    },
    signal,
  )
}

/** Most reads of a quiet store return an empty page, for which nothing is written. */
export const isEmpty = ({ rows, skipped }: Pick<Page<unknown>, 'rows' | 'skipped'>) =>
  rows.length + skipped.length === 0

async function* patiently<P>(
  open: () => AsyncIterable<P>,
  remember: (page: P) => void,
  signal: AbortSignal | undefined,
): AsyncGenerator<P> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      for await (const page of open()) {
        remember(page)
        refusals = 0
        yield page
      }
      return
    } catch (error) {
      const waitMs = computeWait(error)
      if (waitMs === null || refusals >= MAX_WAITS) throw error
      await sleep(waitMs, undefined, signal ? { signal } : {})
    }
  }
}

/** Milliseconds to wait; null if waiting does not help, or takes too long. */
function computeWait(error: unknown): number | null {
  if (!(error instanceof StoreProblem)) return null
  if (error.code !== 'rate_limited' && !(error.code === 'maintenance' && error.retryAfterMs)) return null
  const waitMs = error.retryAfterMs ?? USUAL_WAIT_MS
  return waitMs <= LONGEST_WAIT_MS ? waitMs : null
}
