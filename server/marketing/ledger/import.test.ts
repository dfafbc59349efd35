import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import { CSV_HEADER, createImportScene, LEGAL_GROUND, recordConsent } from '../../../test/import-scene.ts'
import { HOUR, listStepStates, MINUTE, passTime } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { deleteOldImports, runImport } from './import.ts'

// Import of consents (C5): rows with proof are stored, opt-outs override them, and duplicates are stored once.

const world = createWorld()
const buildShop = () => createImportScene(world)
const say = (storeId: string, address: string, status: 'granted' | 'withdrawn', source: string, at: Date) =>
  recordConsent(world, storeId, { address, status, source, at })

test('an upload shows a preview and stores nothing in the ledger', async () => {
  const { upload, ledger } = await buildShop()
  const { status, body } = await upload(
    `\ufeffE-Mail;Datum;Quelle\nann@a.example;13.05.2024;Formular\nbob@;14.05.2024;Formular\n`,
  )
  expect(status).toBe(200)
  expect(body.columns).toEqual(['E-Mail', 'Datum', 'Quelle'])
  expect(body.preview).toMatchObject({
    mapping: { address: 0, date: 1, dateOrder: 'dmy', source: 2, channel: null, channelForAll: 'email' },
    rows: [
      { line: 2, address: 'ann@a.example', at: '2024-05-13T04:00:00.000Z', source: 'Formular' },
      { line: 3, problem: 'This is not a complete email address.' },
    ],
    readable: 0,
    statesConsent: false,
    problems: [{ problem: 'No column says that this person opted in.', count: 1 }, { count: 1 }],
  })
  expect(await ledger()).toEqual([])
})

test("a file in Excel's Western encoding keeps its umlauts", async () => {
  const { upload } = await buildShop()
  const { body } = await upload(Buffer.from('email;date;source\nann@a.example;2024-05-13;Büro\n', 'latin1'))
  expect(body.preview.rows[0].source).toBe('Büro')
})

test.each([
  ['', 'empty'],
  ['email\n', 'one line'],
])('%j is rejected with the reason', async (text, reason) => {
  const { upload } = await buildShop()
  const { status, body } = await upload(text)
  expect([status, body.error]).toEqual([400, expect.stringContaining(reason)])
})

test('an import stores proven consents with their evidence, and reports the others with the reason', async () => {
  const { take, ledger, call, storeId } = await buildShop()
  const done = await take(
    `${CSV_HEADER}ann@a.example,2024-05-01,Footer form\nbob@a.example,,Footer form\ncal@a.example,2024-05-01,\n`,
  )
  expect(done).toMatchObject({
    state: 'done',
    rowCount: 3,
    doneCount: 3,
    addedCount: 1,
    knownCount: 0,
    refusedCount: 2,
  })
  expect(done).toMatchObject({
    legalGround: LEGAL_GROUND,
    confirmedBy: expect.stringMatching(/^Owner/),
    hasReport: true,
  })
  expect((await readNotifications(world, storeId)).at(-1)).toMatchObject({
    type: 'import_finished',
    message: 'list.csv: 1 of 3 rows were new, 2 could not be used.',
  })
  expect(await ledger()).toEqual(['a•••@a.example email granted import'])
  const { evidence } = await world.db
    .selectFrom('consents')
    .select('evidence')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  expect(evidence).toEqual({ importId: done.id, line: 2, given: 'Footer form' })
  const { body } = await call('GET', `/${done.id}/report`)
  const report = (await world.app.inject({ url: body.url })).body.replace('\ufeff', '').trim().split('\r\n')
  expect(report).toEqual([
    'email,date,source,Row,Problem',
    'bob@a.example,,Footer form,3,"The date of the consent is missing, so it proves nothing."',
    'cal@a.example,2024-05-01,,4,"The source of the consent is missing, so it proves nothing."',
  ])
})

test('a file uploaded twice is stored once', async () => {
  const { take, ledger } = await buildShop()
  const file = `${CSV_HEADER}ann@a.example,2024-05-01,Form\nann@a.example,2024-05-01,Form\nbob@a.example,2024-05-02,Form\n`
  expect(await take(file)).toMatchObject({ addedCount: 2, knownCount: 1 })
  expect(await take(file)).toMatchObject({ addedCount: 0, knownCount: 3, refusedCount: 0 })
  expect(await ledger()).toHaveLength(2)
})

test('an opt-out in the ledger overrides a later import, unless the person opted in again (C5)', async () => {
  const { take, ledger, storeId } = await buildShop()
  const at = (day: string) => new Date(`${day}T12:00:00Z`)
  await say(storeId, 'ann@a.example', 'withdrawn', 'one-click', at('2024-01-01'))
  await say(storeId, 'bob@a.example', 'withdrawn', 'one-click', at('2024-01-01'))
  await say(storeId, 'bob@a.example', 'granted', 'preference page', at('2024-02-01'))
  const done = await take(`${CSV_HEADER}ann@a.example,2025-05-01,Form\nbob@a.example,2025-05-01,Form\n`)
  expect(done).toMatchObject({ addedCount: 1, refusedCount: 1 })
  expect((await ledger()).filter((row) => row.includes('import'))).toEqual(['b•••@a.example email granted import'])
})

test('an import rejects suppressed addresses, and an opt-out overrides an opt-in of the same file', async () => {
  const { take, accountId, ledger } = await buildShop()
  const address_hash = world.deps.secrets.addressHash('ann@a.example')
  const row = {
    account_id: accountId,
    address_hash,
    channel: 'all' as const,
    reason: 'complaint' as const,
    source: 'x',
  }
  await world.db
    .insertInto('suppressions')
    .values({ ...row, created_at: world.now })
    .execute()
  const done = await take(
    'email,date,source,status\nann@a.example,2025-05-01,Form,yes\nbob@a.example,2025-05-01,Form,yes\nbob@a.example,2024-05-01,,unsubscribed\n',
  )
  expect(done).toMatchObject({ addedCount: 1, refusedCount: 2 })
  expect(await ledger()).toEqual(['b•••@a.example email withdrawn import'])
})

test('the API confirms nothing without a legal ground, twice, or after a day', async () => {
  const { upload, call } = await buildShop()
  const { body } = await upload(`${CSV_HEADER}ann@a.example,2024-05-01,Form\n`)
  const path = `/${body.import.id}/confirm`
  const { mapping } = body.preview
  expect((await call('POST', path, { mapping, legalGround: 'yes' })).status).toBe(400)
  expect((await call('POST', path, { mapping, legalGround: LEGAL_GROUND })).status).toBe(200)
  expect((await call('POST', path, { mapping, legalGround: LEGAL_GROUND })).status).toBe(409)
  const late = await upload(`${CSV_HEADER}ann@a.example,2024-05-01,Form\n`)
  world.advance(25 * HOUR)
  await deleteOldImports(world.deps)
  expect((await call('POST', `/${late.body.import.id}/preview`, { mapping })).status).toBe(404)
})

test('resumes after an interruption and counts nothing twice', async () => {
  const { upload, call, storeId, ledger } = await buildShop()
  const people = Array.from({ length: 5_003 }, (_, n) => `p${n}@a.example,2024-05-01,Form`)
  const { body } = await upload(`${CSV_HEADER}${people.join('\n')}\n`)
  const { id } = body.import
  const mapping = { ...body.preview.mapping, statusForAll: 'granted' }
  await call('POST', `/${id}/confirm`, { mapping, legalGround: LEGAL_GROUND })
  await Promise.all([
    runImport(world.deps, { storeId, importId: id }),
    runImport(world.deps, { storeId, importId: id }),
  ])
  await world.runJobs()
  const { imports } = (await call('GET', '')).body
  expect(imports[0]).toMatchObject({
    state: 'done',
    doneCount: 5_003,
    addedCount: 5_003,
    knownCount: 0,
    refusedCount: 0,
  })
  expect(await ledger()).toHaveLength(5_003)
})

test('a held message is sent once the consent is imported', async () => {
  const { take, storeId } = await buildShop()
  const order = buildOrder(world, { country: 'DE' })
  await recordOrders(world.deps, storeId, [order], 'sync')
  await passTime(world, storeId, HOUR)
  expect((await listStepStates(world, storeId))[0]).toBe('held(no_consent)')
  world.sent.length = 0
  await take(`${CSV_HEADER}${order.email},2025-05-01,Form\n`)
  await passTime(world, storeId, MINUTE)
  expect(world.sent.map(({ to }) => to)).toEqual([order.email])
})

test('one account uploads one file at a time, while other accounts upload theirs', async () => {
  const [shop, other] = [await buildShop(), await buildShop()]
  const slow = new PassThrough()
  slow.write('email,status\n')
  const first = shop.upload(slow)
  await expect.poll(() => slow.readableLength).toBe(0)
  expect(await shop.upload('email,status\na@b.example,granted\n')).toMatchObject({ status: 409 })
  expect((await other.upload('email,status\na@b.example,granted\n')).status).toBe(200)
  slow.end('a@b.example,granted\n')
  expect((await first).status).toBe(200)
  expect((await shop.upload('email,status\na@b.example,granted\n')).status).toBe(200)
})

test('an opt-out with two addresses counts for both, an opt-in for the first', async () => {
  const { take, ledger } = await buildShop()
  const done = await take(
    `email,subscribed,date,source\n${[
      '"ann@a.example, bob@a.example",no,,',
      '"cal@a.example / dan@a.example",unsubscribed,,',
      '"eve@a.example; fay@a.example",yes,2024-05-01,Form',
    ].join('\n')}\n`,
  )
  expect(done).toMatchObject({ rowCount: 3, doneCount: 3, addedCount: 3, knownCount: 0, refusedCount: 0 })
  expect((await ledger()).sort()).toEqual([
    'a•••@a.example email withdrawn import',
    'b•••@a.example email withdrawn import',
    'c•••@a.example email withdrawn import',
    'd•••@a.example email withdrawn import',
    'e•••@a.example email granted import',
  ])
})

test('a bounce with two addresses suppresses both, and an opt-out with two numbers is read', async () => {
  const { take, storeId, ledger } = await buildShop()
  await take('email,status\n"ann@a.example,bob@a.example",cleaned\n')
  const store = await world.db
    .selectFrom('stores')
    .select('account_id')
    .where('id', '=', storeId)
    .executeTakeFirstOrThrow()
  const rows = world.db.selectFrom('suppressions').select('reason').where('account_id', '=', store.account_id)
  expect(await rows.execute()).toEqual([{ reason: 'hard_bounce' }, { reason: 'hard_bounce' }])
  await take('phone,subscribed\n"+1 202 555 0123; +1 202 555 0124",no\n')
  expect((await ledger()).filter((row) => row.includes('sms'))).toHaveLength(2)
})
