import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import {
  changeExperiment,
  type ExperimentsReply,
  type ExperimentView,
  readExperiments,
  startExperiment,
  stopExperiment,
} from '../shared/carts/experiments.ts'
import { describeRunning } from '../web/features/lift/copy.ts'
import { createScreens, NOW } from './app.ts'
import { buildHighValueFlow, serveFlows } from './flows-api.ts'
import { serveRecipients } from './recipients.ts'

// The control group: started, changed and stopped (decisions 58 to 61).

const app = createScreens()
let reply: ExperimentsReply

const DAY_MS = 86_400_000
const daysFromNow = (days: number) => new Date(NOW.getTime() + days * DAY_MS).toISOString()
const fewData = { state: 'few', anytime: null, planned: null, missing: null } as const
const none = { treated: 0, control: 0 }

const buildExperiment = (sharePercent: number, days: number): ExperimentView => ({
  id: randomUUID(),
  sharePercent,
  timeZone: 'America/New_York',
  startedAt: daysFromNow(0),
  plannedEndAt: daysFromNow(days),
  drawsUntil: daysFromNow(days - 30),
  endedAt: null,
  endReason: null,
  windowDays: 30,
  currency: 'USD',
  capAmount: 400,
  people: none,
  purchases: none,
  waiting: none,
  leftOut: 0,
  overridden: 0,
  drawnEarlier: 0,
  conversion: fewData,
  revenue: fewData,
  cost: null,
  attributedAmount: 0,
  health: 'few',
})

const endRunning = (endReason: 'changed' | 'stopped') => {
  if (reply.running) reply.past = [{ ...reply.running, endedAt: daysFromNow(0), endReason }, ...reply.past]
  reply.running = null
}

/** A store too small to detect anything. */
beforeEach(() => {
  reply = {
    pace: { people: 0, boughtPercent: null, assumedPercent: 5, rate: 0.05 },
    proposedPercent: null,
    running: null,
    past: [],
  }
  app.api.answer(readExperiments, () => reply)
  app.api.answer(startExperiment, ({ body }) => {
    reply.running = buildExperiment(body.sharePercent, body.days)
    return reply
  })
  app.api.answer(changeExperiment, ({ body }) => {
    endRunning('changed')
    reply.running = buildExperiment(body.sharePercent, body.days)
    return reply
  })
  app.api.answer(stopExperiment, () => {
    endRunning('stopped')
    return reply
  })
})

const findButton = (name: string) => app.page.getByRole('button', { name, exact: true })
const dialog = (name: string | RegExp) => app.page.getByRole('dialog', { name })
const waitForRunning = (share: number) =>
  app.page.getByRole('heading', { name: `Control group: ${share}% of shoppers` }).waitFor()
const findPastGroups = () => app.page.getByRole('region', { name: 'Earlier control groups' })

test('a control group is started by keyboard with a valid share and duration', async () => {
  serveFlows(app.api)
  await app.open('/flows')
  await app.page.getByRole('region', { name: 'Lift' }).getByRole('link', { name: 'How it is measured' }).click()
  await app.page.getByRole('heading', { level: 1, name: 'Lift' }).waitFor()
  await app.page.getByText(/there is nothing to measure yet/).waitFor()
  await app.page.getByRole('heading', { level: 2, name: 'How it is measured' }).waitFor()
  await findButton('Start a control group').press('Enter')
  const form = dialog('Start a control group')
  // Without a detectable effect, no share is proposed.
  await form.getByText(/there is nothing to measure yet/).waitFor()
  await expect.poll(() => form.getByText(/recommended for your store/).count()).toBe(0)
  const shares = form.getByRole('radio')
  for (const each of await shares.all()) await expect.poll(() => each.isChecked()).toBe(false)
  const start = form.getByRole('button', { name: 'Start', exact: true })
  await expect.poll(() => start.isDisabled()).toBe(true)
  await shares.last().press('ArrowUp')
  await expect.poll(() => form.getByRole('radio', { name: /^30%/ }).isChecked()).toBe(true)
  const days = form.getByLabel('Ends after')
  await days.fill('7')
  await form.getByText('Enter 45 to 365 days.').waitFor()
  await expect.poll(() => start.isDisabled()).toBe(true)
  await expect.poll(() => form.getByText(/shoppers in \d+ days get no messages/).count()).toBe(0)
  await days.fill('120')
  await form
    .getByText(/shoppers in 120 days get no messages/)
    .first()
    .waitFor()
  await start.press('Enter')
  await waitForRunning(30)
  await app.page
    .getByText(/No shoppers are counted yet. Each shopper’s orders count for 30 days/)
    .first()
    .waitFor()
  await expect
    .poll(() => app.api.calls(startExperiment).map(({ body }) => body))
    .toEqual([{ sharePercent: 30, days: 120 }])
})

test('a new share ends the running control group, and stopping keeps both results', async () => {
  reply.running = buildExperiment(30, 120)
  await app.open('/flows/lift')
  await waitForRunning(30)
  await findButton('Change the share').click()
  const change = dialog('Change the share')
  await change.getByText(/The current control group ends now and keeps its result/).waitFor()
  // The current share is not a change.
  await change.getByRole('radio', { name: /^30%/ }).check()
  await expect.poll(() => change.getByRole('button', { name: 'Start again' }).isDisabled()).toBe(true)
  await change.getByRole('radio', { name: /^10%/ }).check()
  await change.getByRole('button', { name: 'Start again' }).click()
  await waitForRunning(10)
  await findPastGroups()
    .getByText(/replaced with another share/)
    .waitFor()
  await expect
    .poll(() => app.api.calls(changeExperiment).map(({ body }) => body))
    .toEqual([{ sharePercent: 10, days: 90 }])
  await findButton('Stop').click()
  const question = dialog('Stop the control group?')
  expect(app.api.calls(stopExperiment)).toEqual([])
  await question.getByRole('button', { name: 'Stop', exact: true }).click()
  await app.page.getByRole('heading', { name: 'No control group' }).waitFor()
  await expect.poll(() => findPastGroups().getByRole('listitem').count()).toBe(2)
})

test.each([
  true,
  false,
])('dialogs that create messages show whether a control group is running: %s', async (isRunning) => {
  serveFlows(app.api, [{ ...buildHighValueFlow(), holdoutPercent: isRunning ? 10 : 0, position: 1 }])
  serveRecipients(app.api)
  if (isRunning) reply.running = buildExperiment(10, 90)
  await app.open('/flows')
  const share = app.page.getByText('10% of shoppers are in the control group and get no messages.')
  await app.page.getByRole('region', { name: 'Lift' }).waitFor()
  await expect.poll(() => share.count()).toBe(Number(isRunning))
  await app.page.getByRole('button', { name: /^Switch on / }).click()
  const starting = dialog(/^Switch on /)
  if (isRunning) await starting.getByText(describeRunning(10)).waitFor()
  else {
    await starting.getByLabel(/^Control group of some/).check()
    await starting.getByText('Applies to every flow, campaign and push notification of this store').waitFor()
    await expect.poll(() => starting.getByText('A control group is running').count()).toBe(0)
  }
  await app.open('/campaigns?form=all')
  const form = dialog('Send to All Abandoned Carts')
  await form.getByText(/would get it now\.$/).waitFor()
  await expect.poll(() => form.getByText(describeRunning(10)).count()).toBe(Number(isRunning))
})

test.each(['/dashboard', '/analytics#attribution'])('%s shows the lift only with enough data', async (path) => {
  const lift = app.page.getByRole('region', { name: 'Lift' })
  reply.running = buildExperiment(10, 90)
  await app.open(path)
  await expect.poll(() => app.api.calls(readExperiments).length).toBeGreaterThan(0)
  await app.waitUntilSettled()
  await expect.poll(() => lift.count()).toBe(0)
  reply.running.revenue = { state: 'more', anytime: { low: 120, high: 900 }, planned: null, missing: null }
  reply.running.people = { treated: 900, control: 100 }
  reply.running.health = 'even'
  await app.open(path)
  await lift.getByText('Your messages caused $120.00 to $900.00 of extra sales from these 900 shoppers.').waitFor()
})

test('a result is drawn: both groups as bars, and the range of the effect', async () => {
  reply.running = {
    ...buildExperiment(50, 90),
    people: { treated: 400, control: 400 },
    purchases: { treated: 40, control: 30 },
    conversion: { state: 'unseen', anytime: { low: -3, high: 23 }, planned: null, missing: null },
  }
  await app.open('/flows/lift')
  const groups = app.page.getByRole('region', { name: 'Both groups' })
  await groups.getByText('7.5% 30 of 400 bought').waitFor()
  await groups.getByText('10% 40 of 400 bought').waitFor()
  const measure = (arm: string) =>
    groups.locator(`[data-arm=${arm}]`).evaluate((bar) => bar.getBoundingClientRect().width)
  expect((await measure('control')) / (await measure('treated'))).toBeCloseTo(0.75, 2)
  const purchases = app.page.getByRole('region', { name: 'Purchases' })
  await purchases.getByText('No difference proven.').waitFor()
  await purchases.getByText('3 less').waitFor()
  await purchases.getByText('23 more').waitFor()
  expect(await app.findViolations()).toEqual([])
})
