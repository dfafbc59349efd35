import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlowStep, FlowView } from '../shared/flows.ts'
import { until } from './app-instance.ts'
import { api, beginVisit, endVisit, instance, page } from './carts/visit.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { cardOf, openStep, panelOf } from './flow-steps.ts'
import { isFocused } from './keys.ts'

// The editor of a flow on the demo: its messages on the time line, and the panel beside them.

let flowId: string

beforeAll(async () => {
  await beginVisit()
  flowId = (await stored()).id
}, 420_000)
afterAll(endVisit)

const stored = async () => (await api<{ flows: FlowView[] }>('/api/flows')).flows[0]!
const stepsStored = async () => (await stored()).steps
const open = () => page.goto(`${instance.url}/flows/${flowId}`)
const titles = () => page.getByRole('list', { name: 'Messages in their order' }).getByRole('heading').allInnerTexts()
const times = async () =>
  (await page.locator('.flow-time').allInnerTexts()).map((text) => text.split(/ after they leave/)[0])
const handle = (place: number) => cardOf(page, place).getByRole('button', { name: /^Move / })
const bar = () => page.getByRole('region', { name: 'Unsaved changes' })
const said = () => page.locator('output').innerText()
const panel = () => panelOf(page)

async function save() {
  await bar().getByRole('button', { name: 'Save' }).click()
  await bar().waitFor({ state: 'detached' })
}

async function discard() {
  await bar().getByRole('button', { name: 'Discard' }).click()
  await bar().waitFor({ state: 'detached' })
}

const ALL = ['1. First reminder', '2. Second reminder', '3. Last reminder']

test('the flow is one column: which carts, and each message with its time and a small picture', async () => {
  await open()
  await expect.poll(titles).toEqual(ALL)
  expect(await times()).toEqual(['1 minute', '3 minutes', '5 minutes'])
  await cardOf(page, 2).getByText('2 minutes later').waitFor()
  await page.getByText('Every cart that no flow above this one takes.').waitFor()
  await cardOf(page, 1).frameLocator('iframe').getByText('We saved your cart', { exact: true }).waitFor()
  await checkInEveryTheme(page, 'flow')
}, 120_000)

test('a message is moved by the arrow keys: the times stay, the handle keeps the focus, and undo takes it back', async () => {
  await handle(3).focus()
  await page.keyboard.press('Home')
  await expect.poll(titles).toEqual(['1. Last reminder', '2. First reminder', '3. Second reminder'])
  expect(await times()).toEqual(['1 minute', '3 minutes', '5 minutes'])
  expect(await isFocused(handle(1))).toBe(true)
  expect(await said()).toBe('Message 3, Last reminder, is now number 1 of 3')
  await page.keyboard.press('Control+z')
  await expect.poll(titles).toEqual(ALL)
  expect(await said()).toBe('Taken back: Message 3, Last reminder, is now number 1 of 3')
  expect(await bar().count()).toBe(0)
  await page.keyboard.press('Control+Shift+z')
  await expect.poll(titles).toEqual(['1. Last reminder', '2. First reminder', '3. Second reminder'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect.poll(titles).toEqual(['1. Last reminder', '2. First reminder', '3. Second reminder'])
  await discard()
  await expect.poll(titles).toEqual(ALL)
  await handle(1).press('ArrowDown')
  await expect.poll(titles).toEqual(['1. Second reminder', '2. First reminder', '3. Last reminder'])
  expect(await isFocused(handle(2))).toBe(true)
  await discard()
})

test('a message that is due before the one above it is moved up, by a button at what is said of it', async () => {
  await openStep(page, 3)
  await panel().getByLabel('Send after', { exact: true }).fill('2')
  const up = panel().getByRole('button', { name: 'Keep its time, and move it up to number 2' })
  expect(await up.count()).toBe(0)
  await bar().getByRole('button', { name: 'Save' }).click()
  await panel().getByText('Later than the message before it').waitFor()
  await checkInEveryTheme(page, 'flow-step-out-of-order')
  await up.focus()
  await page.keyboard.press('Enter')
  await expect.poll(titles).toEqual(['1. First reminder', '2. Last reminder', '3. Second reminder'])
  expect(await times()).toEqual(['1 minute', '2 minutes', '3 minutes'])
  expect(await panel().getByText('Later than the message before it').count()).toBe(0)
  expect(await isFocused(panel().getByLabel('Send after', { exact: true }))).toBe(true)
  expect(await said()).toBe('Message 3, Last reminder, is now number 2 of 3')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(titles).toEqual(ALL)
  await up.waitFor()
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect.poll(titles).toEqual(['1. First reminder', '2. Last reminder', '3. Second reminder'])
  await discard()
  await expect.poll(titles).toEqual(ALL)
  await panel().getByRole('button', { name: 'Close' }).click()
})

test('a message is dragged by its handle', async () => {
  await page.evaluate(() => scrollTo(0, 0))
  const from = (await handle(1).boundingBox())!
  const to = (await cardOf(page, 2).boundingBox())!
  await page.mouse.move(from.x + 8, from.y + 8)
  await page.mouse.down()
  await page.mouse.move(from.x + 8, to.y + to.height * 0.8, { steps: 5 })
  await page.locator('[data-drop=after]').waitFor()
  await page.mouse.up()
  await expect.poll(titles).toEqual(['1. Second reminder', '2. First reminder', '3. Last reminder'])
  await discard()
})

test('the save bar says what a change does to planned messages, and leaving asks', async () => {
  const planned = (await stored()).counts
  expect(planned.waiting + planned.held).toBeGreaterThan(0)
  for (const place of [3, 2]) await page.getByRole('button', { name: new RegExp(`^Remove message ${place},`) }).click()
  expect(await said()).toBe('Message 2, Second reminder, removed')
  const asked = page.waitForResponse('**/effect*')
  await page.getByRole('button', { name: /^Remove message 1,/ }).click()
  // Without any message there is nothing to save.
  await bar().getByText('Unsaved changes').waitFor()
  await page.keyboard.press('Control+z')
  const { effect } = (await (await asked).json()) as { effect: { cancelled: number } }
  await bar()
    .getByText(effect.cancelled === 0 ? 'No planned message is affected' : `${effect.cancelled} `)
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'Flows' }).first().click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(await titles()).toEqual(['1. First reminder'])
  await discard()
  expect(await stepsStored()).toHaveLength(3)
})

test('a message is added, named by its place, and goes by another channel where the first cannot', async () => {
  await page.getByRole('button', { name: 'Add a message' }).click()
  await panel().getByRole('heading', { name: '4. New message' }).waitFor()
  expect((await times()).at(-1)).toBe('1 day 5 minutes')
  expect(await panel().getByLabel('Subject').inputValue()).toBe('Still thinking it over? Your cart is saved')
  await panel().getByLabel('Subject').fill('One more thing')
  await panel().getByRole('button', { name: 'Then try push' }).click()
  await cardOf(page, 4).getByText('Email, else by push').waitFor()
  await panel().getByRole('radiogroup', { name: 'Words for' }).getByText('Push', { exact: true }).click()
  await panel().getByLabel('Title').fill('')
  await panel().getByRole('radiogroup', { name: 'Words for' }).getByText('Email', { exact: true }).click()
  await bar().getByRole('button', { name: 'Save' }).click()
  await panel().getByText('A notification needs a title').waitFor()
  await cardOf(page, 4).getByText('Needs a correction').waitFor()
  // One is led to the words of the other channel.
  await panel().getByLabel('Title').fill('Still here')
  await save()
  const added = (await stepsStored())[3]!
  expect(added).toMatchObject({ delayMinutes: 1_445, channels: ['email', 'push'] })
  expect(added.variants[0]!.words).toMatchObject({
    email: { subject: 'One more thing' },
    push: { title: 'Still here' },
  })
  await panel().waitFor({ state: 'detached' })
}, 60_000)

test('conditions say who gets a message, and one that is not complete is not saved', async () => {
  await openStep(page, 4)
  await panel().getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('menuitem', { name: 'Cart value' }).click()
  await bar().getByRole('button', { name: 'Save' }).click()
  await panel().getByText('Enter an amount').waitFor()
  await panel().getByLabel('Cart value', { exact: true }).fill('60')
  await panel().getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('menuitem', { name: 'First-time or returning buyer' }).click()
  await panel().getByLabel('First-time or returning buyer: how').selectOption('has bought before')
  await panel().getByLabel('How many have to hold').selectOption('Any of these holds')
  const words = 'Only if the cart is worth more than $60.00 or the shopper has bought before'
  await cardOf(page, 4).getByText(words).waitFor()
  // What is behind the words is shown paler.
  await expect.poll(() => panel().locator('[aria-busy="true"]').count()).toBe(0)
  await checkInEveryTheme(page, 'flow-conditions')
  await save()
  expect((await stepsStored())[3]!.conditions).toEqual({
    match: 'all',
    groups: [
      {
        match: 'any',
        conditions: [
          { fact: 'value', is: 'above', amount: 60 },
          { fact: 'buyer', is: 'returning' },
        ],
      },
    ],
  })
  await page.reload()
  await cardOf(page, 4).getByText(words).waitFor()
  await page.getByRole('button', { name: 'Edit which carts this flow takes' }).click()
  const entry = page.locator('.entry-card')
  await panel().getByLabel('Name of the flow').fill('')
  // Where something is wrong says so also in the column.
  await page.keyboard.press('Control+s')
  await panel().getByText('Enter a name').waitFor()
  await entry.getByText('Needs a correction').waitFor()
  expect((await stored()).name).not.toBe('')
  await panel().getByLabel('Name of the flow').fill('Reminders')
  await entry.getByText('Needs a correction').waitFor({ state: 'detached' })
  await panel().getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('menuitem', { name: 'Phone number' }).click()
  await page.getByText('Only if a phone number is known.').waitFor()
  expect((await stored()).name).not.toBe('Reminders')
  await page.keyboard.press('Control+s')
  await bar().waitFor({ state: 'detached' })
  expect(await stored()).toMatchObject({
    name: 'Reminders',
    conditions: { groups: [{ conditions: [{ fact: 'phone' }] }] },
  })
}, 120_000)

test('words are split between shoppers: shares that do not make 100 are refused', async () => {
  await openStep(page, 2)
  await panel().getByRole('button', { name: 'Test another text' }).click()
  await panel().getByLabel('Subject').fill('Other words')
  await cardOf(page, 2).getByText('Split test: A 50%, B 50%').waitFor()
  await panel().getByLabel('Share of variant B').fill('30')
  await bar().getByRole('button', { name: 'Save' }).click()
  await panel().getByText('The shares must make 100% together').waitFor()
  await panel().getByRole('tab', { name: /^A / }).click()
  await panel().getByLabel('Share of variant A').fill('70')
  await checkInEveryTheme(page, 'flow-split')
  await save()
  const [a, b] = (await stepsStored())[1]!.variants
  expect([a!.sharePercent, b!.sharePercent]).toEqual([70, 30])
  expect(b!.words.email.subject).toBe('Other words')
  expect(a!.words.email.subject).not.toBe('Other words')
}, 120_000)

test('a copied message has the words and rules of its original, and a removed one is gone', async () => {
  await page.getByRole('button', { name: /^Copy message 2,/ }).click()
  expect(await titles()).toHaveLength(5)
  await panel().getByLabel('Send after', { exact: true }).fill('4')
  await save()
  const wordsOf = ({ variants }: FlowStep) =>
    variants.map(({ sharePercent, words }) => [sharePercent, words.email.subject])
  const [, original, copy] = await stepsStored()
  expect(wordsOf(copy!)).toEqual(wordsOf(original!))
  expect(copy!.id).not.toBe(original!.id)
  await page.getByRole('button', { name: /^Remove message 3,/ }).click()
  await save()
  await until(async () => (await stepsStored()).length === 4, 5_000)
  expect((await stepsStored()).map(({ id }) => id)).not.toContain(copy!.id)
})

test('“Rename” beside the title leads to the name of the flow', async () => {
  await open()
  await page.getByRole('button', { name: 'Rename' }).click()
  const name = panel().getByLabel('Name of the flow')
  await expect.poll(() => isFocused(name)).toBe(true)
  await page.keyboard.type('Left pots')
  expect(await name.inputValue()).toBe('Left pots')
  await save()
  await page.getByRole('heading', { level: 1, name: 'Left pots' }).waitFor()
  await panel().getByRole('button', { name: 'Close' }).click()
  await panel().waitFor({ state: 'detached' })
})

test('on a phone the panel is a dialog in front of the flow, and closing it leads back', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  const button = page.getByRole('button', { name: /^Edit message 1,/ })
  await button.click()
  const dialog = page.getByRole('dialog', { name: '1. First reminder' })
  await dialog.getByLabel('Subject').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(button)).toBe(true)
  await page.getByRole('button', { name: 'Rename' }).click()
  await expect.poll(() => isFocused(page.getByRole('dialog').getByLabel('Name of the flow'))).toBe(true)
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1360, height: 900 })
})
