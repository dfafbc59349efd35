import { readFileSync } from 'node:fs'
import { z } from 'zod'

// Exchanges recorded from a real store (see test/fixtures/woocommerce/README.md).

const Exchange = z.object({
  title: z.string(),
  request: z.object({
    method: z.string(),
    path: z.string(),
    query: z.record(z.string(), z.string()).default({}),
    auth: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown().optional(),
  }),
  response: z.object({ status: z.number(), headers: z.record(z.string(), z.string()), body: z.unknown().optional() }),
})
export type Exchange = z.infer<typeof Exchange>

const folder = new URL('../../test/fixtures/woocommerce/', import.meta.url)

export function readFixture(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
}

export function readExchanges(file: string): Exchange[] {
  return z.object({ exchanges: z.array(Exchange) }).parse(readFixture(file)).exchanges
}

const Delivery = z.object({
  note: z.string(),
  url: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  secret: z.string(),
  signature_valid: z.boolean().nullable(),
  body: z.string(),
})

export function readDeliveries() {
  return z.object({ deliveries: z.array(Delivery) }).parse(readFixture('webhook-deliveries.json')).deliveries
}

const Vector = z.object({
  method: z.string(),
  url: z.string(),
  consumer_key: z.string(),
  consumer_secret: z.string(),
  params: z.record(z.string(), z.string()),
  base_string: z.string(),
  status: z.number(),
})

export function readVectors() {
  return z.object({ vectors: z.array(Vector) }).parse(readFixture('oauth1-vectors.json')).vectors
}

/** Returns a recorded response by file and title, such as the exact body of an error. */
export function findResponse(file: string, title: string): Exchange['response'] {
  const found = readExchanges(file).find((one) => one.title.startsWith(title))
  if (!found) throw new Error(`No exchange "${title}" in ${file}`)
  return found.response
}
