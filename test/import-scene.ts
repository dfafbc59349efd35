import type { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import { createId } from '../server/core/common/ids.ts'
import { insertConsent } from '../server/shoppers/consent/consent-sql.ts'
import { createStore } from './factories.ts'
import type { World } from './world.ts'

// Test support: a store that imports consent files, and the resulting ledger.

export const LEGAL_GROUND = 'They ticked the box of our newsletter form.'
export const CSV_HEADER = 'email,date,source\n'

export async function createImportScene(world: World) {
  const store = await createStore(world)
  const call = async (method: string, path: string, body?: unknown) =>
    world.request(method, `/api/consent/imports${path}`, { token: store.token, ...(body !== undefined && { body }) })
  const upload = (text: string | Buffer | PassThrough, name = 'list.csv') =>
    world.app
      .inject({
        method: 'POST',
        url: `/api/consent/imports?fileName=${encodeURIComponent(name)}`,
        headers: { 'content-type': 'text/csv', authorization: `Bearer ${store.token}` },
        payload: text,
      })
      .then((reply) => ({ status: reply.statusCode, body: reply.json() }))
  const take = async (text: string, changed: object = {}) => {
    const { body } = await upload(text)
    const mapping = { ...body.preview.mapping, statusForAll: 'granted', ...changed }
    const confirmed = await call('POST', `/${body.import.id}/confirm`, { mapping, legalGround: LEGAL_GROUND })
    expect(confirmed.status).toBe(200)
    await world.runJobs()
    const list = await call('GET', '')
    return list.body.imports.find(({ id }: { id: string }) => id === body.import.id)
  }
  const ledger = async () => {
    const rows = await world.db
      .selectFrom('consents')
      .select(['who', 'channel', 'status', 'source', 'at', 'wording', 'evidence'])
      .where('store_id', '=', store.storeId)
      .orderBy('at')
      .orderBy('who')
      .execute()
    return rows.map(({ who, channel, status, source }) => `${who} ${channel} ${status} ${source}`)
  }
  return { ...store, call, upload, take, ledger }
}

/** Records a consent from the shopper, unless the source is an import. */
export const recordConsent = (
  world: World,
  storeId: string,
  consent: { address: string; status: 'granted' | 'withdrawn'; source: string; at: Date },
) => {
  const { address, ...rest } = consent
  const addressHash = world.deps.secrets.addressHash(address)
  return insertConsent(
    { storeId, db: world.db },
    { id: createId(), addressHash, channel: 'email', wording: null, ...rest },
  )
}
