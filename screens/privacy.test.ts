import { expect, test } from 'vitest'
import { readPrivacyDocument } from '../shared/workspace/privacy-documents.ts'
import { countRetention, readRetention, saveRetention } from '../shared/workspace/retention.ts'
import { createScreens, NOW } from './app.ts'

// Settings → Privacy: the retention period, chosen with the affected shoppers counted, and documents to download.

const app = createScreens()

test('a retention period shows its count and offers an export, and a document is saved as a file', async () => {
  const run = { day: '2026-03-01', days: 365, startedAt: NOW.toISOString(), finishedAt: NOW.toISOString() }
  const runs = [{ ...run, contacts: 12, customers: 3, counts: { carts: 15, orders: 3, messages: 40 } }]
  app.api.answer(readRetention, { days: null, runs })
  app.api.answer(countRetention, { contacts: 1_204, customers: 31, carts: 1_400, isMore: false })
  app.api.answer(saveRetention, ({ body }) => ({ days: body.days, runs }))
  app.api.answer(readPrivacyDocument, { fileName: 'sub-processors-2026-03-02.md', content: '# List' })
  await app.open('/settings/privacy')
  await app.page.getByRole('switch', { name: 'Erase old data every night' }).click()
  await app.page.getByText('1,204 people without an order').waitFor()
  await app.page.getByRole('button', { name: 'Export all data first' }).waitFor()
  await app.page.getByLabel('Days').fill('12')
  await app.page.getByText('A whole number from 30 to 730').waitFor()
  await app.page.getByLabel('Days').fill('90')
  await app.page.getByRole('button', { name: 'Save retention' }).click()
  await expect.poll(() => app.api.calls(saveRetention)[0]?.body).toEqual({ days: 90 })
  const download = app.page.waitForEvent('download')
  await app.page.getByRole('button', { name: 'List of sub-processors' }).click()
  expect((await download).suggestedFilename()).toBe('sub-processors-2026-03-02.md')
})
