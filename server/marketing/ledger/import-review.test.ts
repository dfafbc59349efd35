import { expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import { CSV_HEADER, createImportScene, recordConsent } from '../../../test/import-scene.ts'
import { HOUR, listStepStates, MINUTE, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { selectEvidence } from '../../shoppers/consent/evidence-sql.ts'
import { insertSuppression } from '../../shoppers/suppressions/unsubscribe-sql.ts'

// Decisions on a finished import (C5): keep, undo, and the effect on a person's own acts.

const world = createWorld()
const at = (day: string) => new Date(`${day}T12:00:00Z`)

async function createShop() {
  const shop = await createImportScene(world)
  /** The consent evidence of a person, as every send decision reads it. */
  const readEvidence = async (address: string) => {
    const hash = world.deps.secrets.addressHash(address)
    const evidence = await selectEvidence({ storeId: shop.storeId, db: world.db }, [hash], ['email'])
    return evidence.get(`email:${hash.toString('hex')}`)?.evidence ?? 'none'
  }
  const doubt = (id: string) =>
    world.db
      .updateTable('consent_imports')
      .set({ standing: 'doubted', doubt: 'no_heading' })
      .where('id', '=', id)
      .execute()
  const suppressions = async () => {
    const reply = await world.request('GET', '/api/suppressions', { token: shop.token })
    return {
      entries: reply.body.entries.map(({ address, reason }: Record<string, string>) => `${address} ${reason}`).sort(),
      removed: reply.body.removed.map(({ address, reason }: Record<string, string>) => `${address} ${reason}`),
    }
  }
  const ledgerEntries = async (address: string) => {
    const query = new URLSearchParams({ address })
    return (await world.request('GET', `/api/consent/ledger?${query}`, { token: shop.token })).body.entries
  }
  const review = (id: string, decision: 'keep' | 'undo') => shop.call('POST', `/${id}/${decision}`)
  return { ...shop, readEvidence, doubt, suppressions, ledgerEntries, review }
}

test('undoing an import is one step: no row counts, all rows stay, and the member is on record', async () => {
  const { take, review, readEvidence, ledger, ledgerEntries } = await createShop()
  const done = await take(
    'email,date,source,status\nann@a.example,2025-05-01,Form,yes\nbob@a.example,2025-05-01,,unsubscribed\n',
  )
  expect([await readEvidence('ann@a.example'), await readEvidence('bob@a.example')]).toEqual([
    'express_yes',
    'withdrawn',
  ])
  const { status, body } = await review(done.id, 'undo')
  expect(status).toBe(200)
  expect(body.import).toMatchObject({
    standing: 'undone',
    addedCount: 2,
    reviewedAt: world.now.toISOString(),
    reviewedBy: expect.stringMatching(/^Owner/),
  })
  expect([await readEvidence('ann@a.example'), await readEvidence('bob@a.example')]).toEqual(['none', 'none'])
  expect(await ledger()).toHaveLength(2)
  expect((await ledgerEntries('ann@a.example'))[0]).toMatchObject({
    status: 'granted',
    standing: 'undone',
    evidence: expect.arrayContaining(['Does not count: its import was undone']),
  })
  expect((await review(done.id, 'undo')).status).toBe(409)
  expect((await review(done.id, 'keep')).status).toBe(409)
})

test("a person's own act counts even if the import is undone", async () => {
  const { take, review, doubt, readEvidence, storeId } = await createShop()
  const say = (address: string, status: 'granted' | 'withdrawn') =>
    recordConsent(world, storeId, { address, status, source: 'preference page', at: at('2025-06-01') })
  const done = await take(
    'email,date,source,status\nann@a.example,2025-05-01,Form,yes\nbob@a.example,2025-05-01,,no\ncyd@a.example,2025-05-01,Form,yes\n',
  )
  await say('ann@a.example', 'withdrawn')
  await say('bob@a.example', 'granted')
  const all = async () => Promise.all(['ann@a.example', 'bob@a.example', 'cyd@a.example'].map(readEvidence))
  expect(await all()).toEqual(['withdrawn', 'express_yes', 'express_yes'])
  await doubt(done.id)
  expect(await all()).toEqual(['withdrawn', 'express_yes', 'none'])
  await review(done.id, 'keep')
  expect(await all()).toEqual(['withdrawn', 'express_yes', 'express_yes'])
  await review(done.id, 'undo')
  expect(await all()).toEqual(['withdrawn', 'express_yes', 'none'])
})

test('a doubtful import permits no message until it is kept, while its opt-outs count', async () => {
  const { take, review, doubt, readEvidence, storeId } = await createShop()
  const order = buildOrder(world, { country: 'DE' })
  const done = await take(
    `email,date,source,status\n${order.email},2025-05-01,Form,yes\nbob@a.example,2025-05-01,,no\n`,
  )
  await doubt(done.id)
  await recordOrders(world.deps, storeId, [order], 'sync')
  await passTime(world, storeId, HOUR)
  expect((await listStepStates(world, storeId))[0]).toBe('held(no_consent)')
  expect(await readEvidence('bob@a.example')).toBe('withdrawn')
  world.sent.length = 0
  await review(done.id, 'keep')
  await passTime(world, storeId, MINUTE)
  expect(world.sent.map(({ to }) => to)).toEqual([order.email])
})

test('a file uploaded again counts independently of the earlier import', async () => {
  const { take, review, readEvidence, ledger } = await createShop()
  const file = `${CSV_HEADER}ann@a.example,2025-05-01,Form\n`
  const first = await take(file)
  const second = await take(file)
  expect(second).toMatchObject({ addedCount: 0, knownCount: 1 })
  await review(first.id, 'undo')
  expect(await readEvidence('ann@a.example')).toBe('express_yes')
  await review(second.id, 'undo')
  expect(await readEvidence('ann@a.example')).toBe('none')
  expect(await take(file)).toMatchObject({ addedCount: 1, knownCount: 0 })
  expect(await readEvidence('ann@a.example')).toBe('express_yes')
  expect(await ledger()).toHaveLength(1)
})

test('bounces and complaints of a file are suppressions that an undo removes, unless they also happened here', async () => {
  const { take, review, suppressions, accountId, ledger } = await createShop()
  const file =
    'email,status\nann@a.example,cleaned\nbob@a.example,spamComplaint\ncal@a.example,bounced\nann@a.example,cleaned\n'
  const done = await take(file)
  expect(done).toMatchObject({ addedCount: 3, suppressedCount: 3, knownCount: 1, refusedCount: 0 })
  const listed = ['ann@a.example hard_bounce', 'bob@a.example complaint', 'cal@a.example hard_bounce']
  expect(await suppressions()).toEqual({ entries: listed, removed: [] })
  expect(await ledger()).toEqual([])
  await insertSuppression(
    { storeId: '', db: world.db },
    {
      accountId,
      hash: world.deps.secrets.addressHash('bob@a.example'),
      channel: 'email',
      address: 'bob@a.example',
      reason: 'complaint',
      source: 'complaint',
      at: world.now,
    },
  )
  const again = await take('email,status\ncal@a.example,bounced\n')
  expect(again).toMatchObject({ addedCount: 0, knownCount: 1 })
  await review(done.id, 'undo')
  expect(await suppressions()).toEqual({
    entries: ['bob@a.example complaint', 'cal@a.example hard_bounce'],
    removed: ['ann@a.example hard_bounce'],
  })
  await review(again.id, 'undo')
  expect((await suppressions()).entries).toEqual(['bob@a.example complaint'])
})

test('"never subscribed" elsewhere does not override a consent given here', async () => {
  const { take, readEvidence, storeId } = await createShop()
  await recordConsent(world, storeId, {
    address: 'ann@a.example',
    status: 'granted',
    source: 'preference page',
    at: at('2025-06-01'),
  })
  const done = await take('email,status\nann@a.example,NEVER_SUBSCRIBED\nbob@a.example,NEVER_SUBSCRIBED\n')
  expect(done).toMatchObject({ addedCount: 1, refusedCount: 1 })
  expect([await readEvidence('ann@a.example'), await readEvidence('bob@a.example')]).toEqual([
    'express_yes',
    'withdrawn',
  ])
})

test('the preview shows ten rows as they would be stored, some of each outcome, with existing consents', async () => {
  const { upload, storeId } = await createShop()
  const say = { address: 'p3@a.example', status: 'withdrawn' as const, source: 'one-click', at: at('2025-06-01') }
  await recordConsent(world, storeId, say)
  const people = Array.from({ length: 30 }, (_, n) => `p${n}@a.example,2025-05-01,Form,yes`)
  const file = `email,date,source,status\n${people.join('\n')}\nx@a.example,,,cleaned\ny@a.example,,,unsubscribed\nz@a.example,,,?\n`
  const { preview } = (await upload(file)).body
  expect(preview).toMatchObject({ readable: 32, counts: { granted: 30, withdrawn: 1, suppressed: 1 } })
  expect(preview.rows).toHaveLength(10)
  const outcomes = preview.rows.map(
    (row: Record<string, string>) =>
      `${row.address} ${row.problem ?? [row.status, row.reason].filter(Boolean).join(' ')}`,
  )
  expect(outcomes).toEqual(
    expect.arrayContaining([
      'p0@a.example granted',
      'p3@a.example This person has opted out. Only they can opt in again.',
      'x@a.example suppressed bounced',
      'y@a.example withdrawn opted_out',
      'z@a.example This is neither an opt-in nor an opt-out.',
    ]),
  )
})

test('the preview shows every address of an opt-out row', async () => {
  const { upload } = await createShop()
  const file =
    'email,date,source,status\n"ann@a.example; amy@a.example",,,unsubscribed\nbob@a.example,2025-05-01,Form,yes\n'
  const { rows } = (await upload(file)).body.preview
  expect(rows.map(({ address, others }: { address: string; others: string[] }) => [address, ...others])).toEqual(
    expect.arrayContaining([['ann@a.example', 'amy@a.example'], ['bob@a.example']]),
  )
})

test('an unconfirmed file can be neither kept nor undone, and an unknown one is not found', async () => {
  const { upload, review } = await createShop()
  const { body } = await upload(`${CSV_HEADER}ann@a.example,2025-05-01,Form\n`)
  expect((await review(body.import.id, 'undo')).body).toMatchObject({ error: 'This file was not imported.' })
  expect((await review('nonsense', 'undo')).status).toBe(404)
})
