import { expect, test } from 'vitest'
import type { GuardedAnswer, GuardedFetch } from '../../core/net/guarded-fetch.ts'
import type { StoreAccess } from '../platform/access.ts'
import { createMemoryTokenCache } from '../platform/memory-token-cache.ts'
import { createClientCache } from './client-per-store.ts'

// One request at a time per store, however many stores a process calls.

/** Shops that respond when a test says so. */
function shops() {
  const open = new Map<string, ((answer: GuardedAnswer) => void)[]>()
  let max = 0
  const requests: string[] = []
  const fetch: GuardedFetch = (url, request) => {
    const { origin } = new URL(url)
    requests.push(origin)
    const { promise, resolve, reject } = Promise.withResolvers<GuardedAnswer>()
    open.set(origin, [...(open.get(origin) ?? []), resolve])
    max = Math.max(max, open.get(origin)!.length)
    request?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
    return promise
  }
  const answer = async (origin: string) => {
    const body = Buffer.from('{"code":"gone"}')
    for (const give of open.get(origin)?.splice(0) ?? [])
      give({ status: 404, headers: {}, body, url: origin, isRedirected: false })
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { fetch, answer, requests, max: () => max }
}

const access = (storeUrl: string, consumerKey = 'ck_1'): StoreAccess => ({
  platform: 'woocommerce',
  storeUrl,
  homeUrl: storeUrl,
  keys: { kind: 'woocommerce', consumerKey, consumerSecret: 'cs_1' },
})
const cacheAs = (storeId: string) => ({ storeId, shelf: createMemoryTokenCache() })

test('a store gets one request at a time while thousands of others are called', async () => {
  const { fetch, answer, requests, max } = shops()
  const storeClient = createClientCache({ fetch, now: () => new Date() })
  const busy = 'https://busy.example'
  const first = storeClient(access(busy), cacheAs('busy')).order('1')
  const all: Promise<unknown>[] = []
  for (let n = 0; n < 4_500; n++) {
    const origin = `https://shop${n}.example`
    all.push(storeClient(access(origin), cacheAs(`store ${n}`)).order('1'))
    if (n % 500 === 0) all.push(storeClient(access(busy), cacheAs('busy')).order(`${n + 1}`))
  }
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect(requests.filter((origin) => origin === busy)).toHaveLength(1)
  for (let n = 0; n < 10; n++) await answer(busy)
  for (let n = 0; n < 4_500; n++) void answer(`https://shop${n}.example`)
  await Promise.all([first, ...all])
  expect(requests.filter((origin) => origin === busy)).toHaveLength(10)
  expect(max()).toBe(1)
})

test('a store still gets one request at a time after its keys were replaced and its profile is read', async () => {
  const { fetch, answer, max } = shops()
  const storeClient = createClientCache({ fetch, now: () => new Date() })
  const origin = 'https://shop.example'
  const cachedA = cacheAs('a')
  const all = [
    storeClient(access(origin, 'ck_1'), cachedA).order('1'),
    storeClient(access(origin, 'ck_2'), cachedA).order('2'),
    storeClient(access(origin, 'ck_2'), cachedA).customer('2'),
  ]
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await answer(origin)
  }
  await Promise.all(all)
  expect(max()).toBe(1)
})

test('two accounts with the same shop do not wait for each other', async () => {
  const { fetch, answer, max } = shops()
  const storeClient = createClientCache({ fetch, now: () => new Date() })
  const origin = 'https://shop.example'
  const all = ['a', 'b'].map((storeId) => storeClient(access(origin), cacheAs(storeId)).order('1'))
  await new Promise((resolve) => setTimeout(resolve, 1))
  await answer(origin)
  await Promise.all(all)
  expect(max()).toBe(2)
})

test('a request that times out in the queue ends at once and is never sent', async () => {
  const { fetch, answer, requests } = shops()
  const client = createClientCache({ fetch, now: () => new Date() })(access('https://shop.example'), cacheAs('a'))
  const hanging = client.order('1')
  const stop = new AbortController()
  const waiting = client.terms({ items: [{ productId: '1', variationId: null }], currency: 'USD', signal: stop.signal })
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'timeout' })
  await answer('https://shop.example')
  await hanging
  expect(requests).toHaveLength(1)
})

test('a failed request lets the next one of its store run', async () => {
  let requestCount = 0
  const fetch: GuardedFetch = async (url) => {
    requestCount += 1
    if (requestCount === 1) throw new Error('a mistake of ours')
    return { status: 404, headers: {}, body: Buffer.from('{"code":"gone"}'), url, isRedirected: false }
  }
  const client = createClientCache({ fetch, now: () => new Date() })(access('https://shop.example'), cacheAs('a'))
  const both = await Promise.allSettled([client.order('1'), client.order('2')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
