import { expect, test } from 'vitest'
import { me } from '../shared/access/auth.ts'
import {
  confirmConsents,
  type ImportView,
  keepConsents,
  listConsentImports,
  previewConsents,
  reportConsents,
  undoConsents,
  uploadConsents,
} from '../shared/marketing/ledger.ts'
import { createScreens, NOW } from './app.ts'

// Consent imports: preview, import, and keeping or undoing earlier imports.

const app = createScreens()
const now = NOW.toISOString()
const findButton = (name: string | RegExp) => app.page.getByRole('button', { name, exact: true })

const rows = ['ann@news.example;13.05.2024;Footer form', 'bob@;14.05.2024;Footer form', 'cal@news.example;;Footer form']
const file = `E-Mail;Datum;Quelle\n${rows.join('\n')}\n`
const uploaded: ImportView = {
  id: 'i1',
  fileName: 'news.csv',
  state: 'uploaded',
  rowCount: 3,
  doneCount: 0,
  addedCount: 0,
  knownCount: 0,
  refusedCount: 0,
  legalGround: null,
  confirmedBy: null,
  uploadedAt: now,
  confirmedAt: null,
  finishedAt: null,
  suppressedCount: 0,
  standing: 'stands',
  doubt: null,
  reviewedBy: null,
  reviewedAt: null,
  hasReport: false,
}
const mapping = {
  address: 0,
  channel: null,
  channelForAll: 'email' as const,
  status: null,
  date: 1,
  yesMeans: null,
  statusForAll: null,
  dateOrder: 'dmy' as const,
  source: 2,
  sourceForAll: '',
  wording: null,
}
const buildRow = (line: number, address: string, at: string | null, problem: string | null) => ({
  line,
  address,
  others: [] as string[],
  channel: 'email' as const,
  status: 'granted' as const,
  at,
  source: 'Footer form',
  wording: '',
  problem,
  reason: null,
})
const preview = {
  mapping,
  rows: [
    buildRow(2, 'ann@news.example', '2024-05-13T00:00:00.000Z', null),
    buildRow(3, 'bob@', '2024-05-14T00:00:00.000Z', 'This is not a complete email address.'),
    buildRow(4, 'cal@news.example', null, 'The date of the consent is missing, so it proves nothing.'),
  ],
  readable: 1,
  counts: { granted: 1, withdrawn: 0, suppressed: 0 },
  statesConsent: false,
  asksYesMeans: false,
  optOutColumns: [],
  problems: [{ problem: 'This is not a complete email address.', count: 1 }],
}

test('a newsletter tool’s file is previewed, imported with its ground, and its refused rows can be downloaded', async () => {
  app.api.answer(uploadConsents, { import: uploaded, columns: ['E-Mail', 'Datum', 'Quelle'], preview })
  app.api.answer(previewConsents, preview)
  app.api.answer(listConsentImports, { imports: [] })
  await app.open('/settings/consent#import')
  const csv = { name: 'news.csv', mimeType: 'text/csv', buffer: Buffer.from(file) }
  await app.page.locator('input[type=file]').setInputFiles(csv)
  const first = app.page.getByRole('region', { name: 'Preview of the rows' })
  await first.getByText('Refused: This is not a complete email address.').waitFor()
  const upload = app.api.calls(uploadConsents)[0]!
  expect([upload.query.fileName, upload.sent.body]).toEqual(['news.csv', file])
  await expect.poll(() => app.page.getByLabel('Date format').inputValue()).toBe('dmy')
  const take = findButton('Import 1 row')
  await expect.poll(() => take.isDisabled()).toBe(true)
  const legalGround = 'They ticked the box of our newsletter form.'
  await app.page.getByLabel('How did these people agree?').fill(legalGround)
  await app.page.getByText('Choose above: What does every row mean?').waitFor()
  await expect.poll(() => take.isDisabled()).toBe(true)
  await app.page.getByLabel('What does every row mean?').selectOption('The person opted in')
  app.api.answer(confirmConsents, () => {
    const done: ImportView = {
      ...uploaded,
      state: 'done',
      doneCount: 3,
      addedCount: 1,
      refusedCount: 2,
      legalGround,
      confirmedBy: 'Demo',
      confirmedAt: now,
      finishedAt: now,
      hasReport: true,
    }
    app.api.answer(listConsentImports, { imports: [done] })
    return { import: done }
  })
  await take.click()
  await app.page.getByText('1 imported, 0 already known, 2 refused').waitFor()
  await expect
    .poll(() => app.api.calls(confirmConsents)[0]!.body)
    .toEqual({
      mapping: { ...mapping, statusForAll: 'granted' },
      legalGround,
    })
  app.api.answer(reportConsents, { url: '/favicon.svg?report', expiresAt: now })
  const download = app.page.waitForEvent('download')
  await findButton('Refused rows as CSV').click()
  expect((await download).url()).toBe(`${app.url}/favicon.svg?report`)
  await (await download).cancel()
})

test('a file with an opt-out column shows the result of each row', async () => {
  const counts = { granted: 1, withdrawn: 1, suppressed: 1 }
  const outcome = (
    line: number,
    status: 'granted' | 'withdrawn' | 'suppressed',
    reason: 'opted_out' | 'bounced' | null,
  ) => ({
    ...buildRow(line, `p${line}@news.example`, now, null),
    status,
    reason,
  })
  const two = { ...outcome(3, 'withdrawn', 'opted_out'), others: ['second@news.example'] }
  const rows = [outcome(2, 'granted', null), two, outcome(4, 'suppressed', 'bounced')]
  const marked = { ...preview, rows, counts, readable: 3, problems: [], optOutColumns: ['Unsubscribed'] }
  app.api.answer(uploadConsents, { import: uploaded, columns: ['E-Mail', 'Unsubscribed', 'Quelle'], preview: marked })
  app.api.answer(previewConsents, { ...marked, asksYesMeans: true })
  app.api.answer(listConsentImports, { imports: [] })
  await app.open('/settings/consent#import')
  await app.page
    .locator('input[type=file]')
    .setInputFiles({ name: 'news.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  const shown = app.page.getByRole('region', { name: 'Preview of the rows' })
  await shown.getByText('p3@news.example, second@news.example').waitFor()
  await shown.getByText('Suppressed: bounced').waitFor()
  await shown.getByText('Opted out: unsubscribed or opted out').waitFor()
  await app.page.getByText('Opt-outs are also read from: Unsubscribed').waitFor()
  await app.page.getByText('3 rows can be read: 1 opted in, 1 opted out, 1 for the suppression list.').waitFor()
  await app.page.getByLabel('What does every other row mean?').selectOption('The person opted out')
  await app.page.getByLabel('A yes in this column means').selectOption('Opted out')
  await expect
    .poll(() => app.api.calls(previewConsents).at(-1)?.body.mapping)
    .toMatchObject({ statusForAll: 'withdrawn', yesMeans: 'withdrawn' })
})

const done: ImportView = {
  ...uploaded,
  state: 'done',
  doneCount: 3,
  addedCount: 3,
  legalGround: 'They ticked the box.',
  confirmedBy: 'Demo',
  confirmedAt: now,
  finishedAt: now,
}
const doubted = { ...done, standing: 'doubted' as const, doubt: 'no_heading' as const }
const list = (...imports: ImportView[]) => app.api.answer(listConsentImports, { imports })

test('a running import shows its progress until it is done', async () => {
  list({ ...done, state: 'running', doneCount: 1, addedCount: 1, finishedAt: null })
  await app.open('/settings/consent#import')
  await app.page.getByText('1 of 3 rows read').waitFor()
  await expect.poll(() => findButton('Undo news.csv').count()).toBe(0)
  list(done)
  await app.page.getByText('3 imported, 0 already known, 0 refused').waitFor()
})

test('a viewer sees why an import is doubtful and cannot keep or undo it', async () => {
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  list({ ...doubted, hasReport: true })
  await app.open('/settings/consent#import')
  await app.page.getByText('Only the owner or an admin of the account can import consents.').waitFor()
  await app.page.getByText('Did these people opt in?').waitFor()
  for (const name of ['Keep news.csv', 'Undo news.csv', 'Refused rows as CSV'])
    await expect.poll(() => findButton(name).count()).toBe(0)
})

test('an import with a possibly misread opt-out is accepted or undone after a confirmation', async () => {
  list(doubted, { ...done, id: 'i2', fileName: 'fair.csv' })
  await app.open('/settings/consent#import')
  const earlier = app.page.getByRole('region', { name: 'Earlier imports' })
  await earlier.getByText('Did these people opt in?').waitFor()
  app.api.fail(keepConsents, 409, { error: 'This import has been undone.' })
  await findButton('Keep news.csv').click()
  await findButton('Keep import').click()
  await app.page.getByRole('dialog').getByText('This import has been undone.').waitFor()
  app.api.answer(keepConsents, () => {
    const kept: ImportView = { ...done, doubt: 'no_heading', reviewedBy: 'Demo', reviewedAt: now }
    list(kept, { ...done, id: 'i2', fileName: 'fair.csv' })
    return { import: kept }
  })
  await findButton('Keep import').click()
  await earlier.getByText('Kept by Demo').waitFor()
  await expect.poll(() => findButton('Keep news.csv').count()).toBe(0)
  app.api.answer(undoConsents, () => {
    const undone: ImportView = { ...done, standing: 'undone', reviewedBy: 'Demo', reviewedAt: now }
    list(undone)
    return { import: undone }
  })
  await findButton('Undo fair.csv').click()
  await findButton('Undo import').click()
  await earlier.getByText('Undone by Demo').waitFor()
  await expect.poll(() => app.api.calls(undoConsents)[0]!.params).toEqual({ importId: 'i2' })
  await expect.poll(() => findButton('Undo news.csv').count()).toBe(0)
})
