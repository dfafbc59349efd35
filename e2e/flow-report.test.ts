import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlowReport } from '../shared/flow-report.ts'
import type { FlowView } from '../shared/flows.ts'
import { api, beginVisit, endVisit, instance, page } from './carts/visit.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { cardOf, openStep, panelOf } from './flow-steps.ts'

// The report beside a flow, on the demo's 90 days (decision 57).

let flowId: string

beforeAll(async () => {
  await beginVisit()
  flowId = (await stored()).id
}, 420_000)
afterAll(endVisit)

const stored = async () => (await api<{ flows: FlowView[] }>('/api/flows')).flows[0]!
const reported = async (days: number) =>
  (await api<{ report: FlowReport }>(`/api/flows/${flowId}/report?days=${days}`)).report
const report = () => page.getByRole('region', { name: 'Report' })
const step = (name: string) => report().getByRole('region', { name })
const rowsOf = async (name: string) =>
  (await step(name).getByRole('list', { name: 'From planned to orders' }).getByRole('listitem').allInnerTexts()).map(
    (text) => text.split('\n').filter(Boolean),
  )

test('the report says of each step what became of its messages, in 7, 30 and 90 days', async () => {
  await page.goto(`${instance.url}/flows/${flowId}`)
  for (const days of [30, 7, 90]) {
    await report().getByRole('radiogroup', { name: 'Days of the report' }).getByText(`${days} days`).click()
    const [first] = (await reported(days)).steps
    await expect
      .poll(() => rowsOf('1. First reminder'))
      .toEqual([
        ['Planned', first!.planned.toLocaleString('en')],
        ['Sent', first!.sent.toLocaleString('en')],
        ['Delivered', 'not reported'],
        ['Clicked', first!.clicked.toLocaleString('en')],
        ['Orders', first!.orders.toLocaleString('en')],
      ])
  }
  const [first] = (await reported(90)).steps
  for (const { explanation } of first!.skipped) await step('1. First reminder').getByText(explanation).waitFor()
  // Bars begin at zero: none is longer than what they are all shares of.
  const widths = await step('1. First reminder')
    .locator('.funnel .share-bar > span')
    .evaluateAll((bars) => bars.map((bar) => Number.parseFloat((bar as HTMLElement).style.width)))
  expect(Math.max(...widths)).toBe(100)
  // What a name means is told to who reaches it.
  const term = step('1. First reminder').getByRole('button', { name: /^Revenue per recipient: / })
  await term.focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await page.getByRole('tooltip').filter({ hasText: 'divided by the messages sent' }).waitFor()
  await term.blur()
  await page.getByRole('tooltip').waitFor({ state: 'hidden' })
  await checkInEveryTheme(page, 'flow-report')
}, 120_000)

test('a winner is chosen by a person, after a question, and not while something is unsaved', async () => {
  const winner = (name: string) => report().getByRole('button', { name: `Choose variant ${name} as the winner` })
  await openStep(page, 2)
  await panelOf(page).getByRole('button', { name: 'Test another text' }).click()
  await panelOf(page).getByLabel('Subject').fill('Other words')
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'detached' })
  await panelOf(page).getByRole('button', { name: 'Close' }).click()
  await step('2. Second reminder').getByText('The others are compared with this one.').waitFor()
  await step('2. Second reminder')
    .getByText(/^Not enough data yet: a comparison needs \d+ purchases with each variant\.$/)
    .waitFor()
  // What is being edited would be saved over it.
  await page.getByRole('button', { name: /^Remove message 3,/ }).click()
  expect(await winner('B').isDisabled()).toBe(true)
  await page.keyboard.press('Control+z')
  await winner('B').click()
  const question = page.getByRole('dialog', { name: 'Choose variant B?' })
  await question.getByText('The figures do not show yet that one variant sells more than another.').waitFor()
  await question.getByRole('button', { name: 'Choose it' }).click()
  await winner('B').waitFor({ state: 'detached' })
  expect((await stored()).steps[1]).toMatchObject({ subject: 'Other words', variants: [{ sharePercent: 100 }] })
  await cardOf(page, 2).getByText('Split test').waitFor({ state: 'detached' })
}, 60_000)
