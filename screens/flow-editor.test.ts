import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { findStepCard, findStepPanel, openStep } from '../e2e/flow-steps.ts'
import { isFocused } from '../e2e/keys.ts'
import { me } from '../shared/access/auth.ts'
import { readVapidKey } from '../shared/delivery/push-calls.ts'
import { flowReport } from '../shared/marketing/flow-report.ts'
import { chooseWinner, type FlowView, saveFlow, switchFlow, trySaveFlow } from '../shared/marketing/flows.ts'
import { describeEffect } from '../web/features/flow-editor/FlowEditor.tsx'
import { fixture } from './api.ts'
import { createScreens, PHONE } from './app.ts'
import { buildReadyFlow, NO_EFFECT, serveFlows } from './flows-api.ts'

// The page of a flow: its messages on the timeline, the panel beside them, and its report.

const app = createScreens()
const ALL = ['1. First reminder', '2. Second reminder', '3. Last reminder']
let stored: { flows: FlowView[] }

beforeEach(() => {
  stored = serveFlows(app.api)
})

const readStoredFlow = () => stored.flows[0]!
const titles = () =>
  app.page.getByRole('list', { name: 'Messages in their order' }).getByRole('heading').allInnerTexts()
const times = async () =>
  (await app.page.locator('.flow-time').allInnerTexts()).map((text) => text.split(/ after abandonment/)[0])
const findCard = (place: number) => findStepCard(app.page, place)
const handle = (place: number) => findCard(place).getByRole('button', { name: /^Move / })
const readBar = () => app.page.getByRole('region', { name: 'Unsaved changes' })
const readAnnouncement = () => app.page.locator('output').innerText()
const findPanel = () => findStepPanel(app.page)
const button = (name: string | RegExp) => app.page.getByRole('button', { name })
const press = (name: string) => readBar().getByRole('button', { name }).click()
const listSaved = () => app.api.calls(saveFlow).map(({ body }) => body)

async function openFlow(titlesShown = ALL) {
  await app.open('/flows/:flowId')
  await expect.poll(titles).toEqual(titlesShown)
}

async function save() {
  await press('Save')
  await readBar().waitFor({ state: 'detached' })
}

async function discard() {
  await press('Discard')
  await readBar().waitFor({ state: 'detached' })
}

async function addCondition(name: string) {
  await findPanel().getByRole('button', { name: 'Add a condition' }).click()
  await app.page.getByRole('menuitem', { name }).click()
}

test('shows the flow’s entry conditions, and each message with its time and thumbnail', async () => {
  await openFlow()
  await expect.poll(() => times()).toEqual(['1 minute', '3 minutes', '5 minutes'])
  await findCard(2).getByText('(2 minutes after message 1)').waitFor()
  await app.page.getByText('All carts not handled by a flow above').waitFor()
  await findCard(1).frameLocator('iframe').getByText('We saved your cart', { exact: true }).waitFor()
  await app.waitUntilSettled()
  expect(await app.findViolations()).toEqual([])
})

test('arrow keys move a message: the times stay, its handle keeps the focus, and undo reverts it', async () => {
  const moved = ['1. Last reminder', '2. First reminder', '3. Second reminder']
  await openFlow()
  await handle(3).press('Home')
  await expect.poll(titles).toEqual(moved)
  await expect.poll(() => times()).toEqual(['1 minute', '3 minutes', '5 minutes'])
  await expect.poll(() => isFocused(handle(1))).toBe(true)
  await expect.poll(() => readAnnouncement()).toBe('Message 3, Last reminder, is now number 1 of 3')
  await app.page.keyboard.press('Control+z')
  await expect.poll(titles).toEqual(ALL)
  await expect.poll(() => readAnnouncement()).toBe('Undone: Message 3, Last reminder, is now number 1 of 3')
  await expect.poll(() => readBar().count()).toBe(0)
  await app.page.keyboard.press('Control+Shift+z')
  await expect.poll(titles).toEqual(moved)
  await button('Undo').click()
  await expect.poll(titles).toEqual(ALL)
  await button('Redo').click()
  await expect.poll(titles).toEqual(moved)
  await discard()
  await expect.poll(titles).toEqual(ALL)
  await handle(1).press('ArrowDown')
  await expect.poll(titles).toEqual(['1. Second reminder', '2. First reminder', '3. Last reminder'])
  await expect.poll(() => isFocused(handle(2))).toBe(true)
})

test('a message is dragged by its handle', async () => {
  await openFlow()
  await app.waitUntilSettled()
  const from = (await handle(1).boundingBox())!
  const to = (await findCard(2).boundingBox())!
  await app.page.mouse.move(from.x + 8, from.y + 8)
  await app.page.mouse.down()
  await app.page.mouse.move(from.x + 8, to.y + to.height * 0.8, { steps: 5 })
  await app.page.locator('[data-drop=after]').waitFor()
  await app.page.mouse.up()
  await expect.poll(titles).toEqual(['1. Second reminder', '2. First reminder', '3. Last reminder'])
})

test('a message due before the one above it is moved up by a button at the error', async () => {
  const moved = ['1. First reminder', '2. Last reminder', '3. Second reminder']
  const findProblem = () => findPanel().getByText('Must be later than the message before it')
  await openFlow()
  await openStep(app.page, 3)
  await findPanel().getByLabel('Send after', { exact: true }).fill('2')
  const up = findPanel().getByRole('button', { name: 'Keep this time and move up to number 2' })
  await expect.poll(() => up.count()).toBe(0)
  await press('Save')
  await findProblem().waitFor()
  expect(await app.findViolations('.step-panel')).toEqual([])
  await up.press('Enter')
  await expect.poll(titles).toEqual(moved)
  await expect.poll(() => times()).toEqual(['1 minute', '2 minutes', '3 minutes'])
  await expect.poll(() => findProblem().count()).toBe(0)
  await expect.poll(() => isFocused(findPanel().getByLabel('Send after', { exact: true }))).toBe(true)
  await expect.poll(() => readAnnouncement()).toBe('Message 3, Last reminder, is now number 2 of 3')
  await button('Undo').click()
  await expect.poll(titles).toEqual(ALL)
  await up.waitFor()
  await button('Redo').click()
  await expect.poll(titles).toEqual(moved)
  expect(listSaved()).toEqual([])
})

test('the save bar states the effect on scheduled messages, and leaving the page needs a confirmation', async () => {
  const effect = { ...NO_EFFECT, cancelled: 7 }
  app.api.answer(trySaveFlow, { effect })
  await openFlow()
  for (const place of [3, 2]) await button(new RegExp(`^Remove message ${place},`)).click()
  await expect.poll(() => readAnnouncement()).toBe('Message 2, Second reminder, removed')
  await readBar().getByText(describeEffect(effect)).waitFor()
  await expect.poll(() => app.api.calls(trySaveFlow).at(-1)!.body.steps).toHaveLength(1)
  await button(/^Remove message 1,/).click()
  // A flow without messages cannot be saved.
  await readBar().getByText('Unsaved changes').waitFor()
  await readBar().getByText(describeEffect(effect)).waitFor({ state: 'detached' })
  await app.page.keyboard.press('Control+z')
  await readBar().getByText(describeEffect(effect)).waitFor()
  await app.page.getByRole('link', { name: 'Flows' }).first().click()
  await app.page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(() => titles()).toEqual(['1. First reminder'])
  await discard()
  expect(listSaved()).toEqual([])
})

test('a message is added with a second channel, and saving opens that channel’s missing content', async () => {
  app.api.answer(readVapidKey, { success: true, publicKey: null })
  await openFlow()
  await button('Add a message').click()
  await findPanel().getByRole('heading', { name: '4. New message' }).waitFor()
  await expect.poll(async () => (await times()).at(-1)).toBe('1 day 5 minutes')
  await findPanel().getByRole('button', { name: 'Edit email' }).waitFor()
  await findPanel().getByRole('button', { name: 'Edit as text' }).click()
  await findPanel().getByLabel('Subject').fill('One more thing')
  await findPanel().getByRole('button', { name: 'Then try push' }).click()
  await findCard(4).getByText('Email, else by push').waitFor()
  const findTextField = (name: string) =>
    findPanel().getByRole('radiogroup', { name: 'Content for' }).getByText(name, { exact: true }).click()
  await findTextField('Push')
  await findPanel().getByLabel('Title').fill('')
  await findTextField('Email')
  await press('Save')
  await findPanel().getByText('A notification needs a title').waitFor()
  await findCard(4).getByText('Fix the marked fields').waitFor()
  await findPanel().getByLabel('Title').fill('Still here')
  await save()
  await expect.poll(() => listSaved()).toHaveLength(1)
  const [body] = listSaved()
  expect(body!.steps.map(({ id }) => id)).toEqual([...buildReadyFlow().steps.map(({ id }) => id), undefined])
  expect(body!.steps[3]).toMatchObject({
    delayMinutes: 1_445,
    channels: ['email', 'push'],
    variants: [{ sharePercent: 100, words: { email: { subject: 'One more thing' }, push: { title: 'Still here' } } }],
  })
  await findPanel().waitFor({ state: 'detached' })
})

test('a viewer sees the channels of a message, read-only', async () => {
  app.api.alter(me, ({ user }) => ({ user: { ...user, role: 'viewer' as const } }))
  const [first, ...others] = readStoredFlow().steps
  stored.flows = [{ ...readStoredFlow(), steps: [{ ...first!, channels: ['email', 'sms', 'push'] }, ...others] }]
  await openFlow()
  await openStep(app.page, 1)
  const fallbacks = findPanel().getByRole('list', { name: 'Other channels, in order' })
  await expect.poll(() => fallbacks.getByRole('listitem').allInnerTexts()).toEqual(['SMS', 'Push'])
  await expect.poll(() => fallbacks.getByRole('button').count()).toBe(0)
  await expect
    .poll(() =>
      findPanel()
        .getByRole('button', { name: /^Then try / })
        .count(),
    )
    .toBe(0)
})

test('conditions of a message read as a sentence, and incomplete ones are not saved', async () => {
  const sentence = 'Only if the cart is worth more than $60.00 or the shopper has bought before'
  await openFlow()
  await openStep(app.page, 3)
  await addCondition('Cart value')
  await press('Save')
  await findPanel().getByText('Enter an amount').waitFor()
  expect(listSaved()).toEqual([])
  await findPanel().getByLabel('Cart value', { exact: true }).fill('60')
  await addCondition('First-time or returning buyer')
  await findPanel().getByLabel('First-time or returning buyer: how').selectOption('has bought before')
  await findPanel().getByLabel('How many must match').selectOption('Any condition matches')
  await findCard(3).getByText(sentence).waitFor()
  await expect.poll(() => findPanel().locator('[aria-busy="true"]').count()).toBe(0)
  expect(await app.findViolations('.step-panel')).toEqual([])
  await save()
  const conditions = [
    { fact: 'value', is: 'above', amount: 60 },
    { fact: 'buyer', is: 'returning' },
  ]
  await expect
    .poll(() => listSaved()[0]!.steps[2]!.conditions)
    .toEqual({ match: 'all', groups: [{ match: 'any', conditions }] })
  await findCard(3).getByText(sentence).waitFor()
})

test('the entry of a flow shows its errors in the column, and saves its name and conditions', async () => {
  await openFlow()
  await button('Edit which carts enter this flow').click()
  const wrong = app.page.locator('.flow-entry').getByText('Fix the marked fields')
  const name = findPanel().getByLabel('Name of the flow')
  await name.fill('')
  await app.page.keyboard.press('Control+s')
  await findPanel().getByText('Enter a name').waitFor()
  await wrong.waitFor()
  expect(listSaved()).toEqual([])
  await name.fill('Reminders')
  await wrong.waitFor({ state: 'detached' })
  await addCondition('Phone number')
  await app.page.getByText('Only if a phone number is known', { exact: true }).waitFor()
  expect(listSaved()).toEqual([])
  await app.page.keyboard.press('Control+s')
  await readBar().waitFor({ state: 'detached' })
  await expect
    .poll(() => listSaved())
    .toMatchObject([{ name: 'Reminders', conditions: { groups: [{ conditions: [{ fact: 'phone' }] }] } }])
})

test('an A/B test is saved only with shares that sum to 100%, and its copy has the same texts', async () => {
  await openFlow()
  await openStep(app.page, 2)
  await findPanel().getByRole('button', { name: 'Test another text' }).click()
  await findPanel().getByLabel('Subject').fill('Other words')
  await findCard(2).getByText('A/B test: A 50%, B 50%').waitFor()
  await findPanel().getByLabel('Share of variant B').fill('30')
  await press('Save')
  await findPanel().getByText('The shares must add up to 100%').waitFor()
  expect(listSaved()).toEqual([])
  await findPanel().getByRole('tab', { name: /^A / }).click()
  await findPanel().getByLabel('Share of variant A').fill('70')
  await app.waitUntilSettled()
  expect(await app.findViolations('.step-panel')).toEqual([])
  await save()
  const [a] = buildReadyFlow().steps[1]!.variants
  const variants = [
    { id: a!.id, sharePercent: 70, words: {} },
    { sharePercent: 30, words: { email: { subject: 'Other words' } } },
  ]
  await expect.poll(() => listSaved()[0]!.steps[1]!.variants).toMatchObject(variants)

  await button(/^Copy message 2,/).click()
  await expect.poll(() => titles()).toHaveLength(4)
  await findPanel().getByLabel('Send after', { exact: true }).fill('4')
  await save()
  const [, original, copy] = readStoredFlow().steps
  const listTexts = ({ variants: of }: typeof original & {}) =>
    of.map(({ sharePercent, words }) => [sharePercent, words])
  expect(listTexts(copy!)).toEqual(listTexts(original!))
  expect(copy!.id).not.toBe(original!.id)
  await button(/^Remove message 3,/).click()
  await save()
  await expect
    .poll(() =>
      listSaved()
        .at(-1)!
        .steps.map(({ id }) => id),
    )
    .toEqual(buildReadyFlow().steps.map(({ id }) => id))
  await expect.poll(() => listSaved().at(-1)!.seenSteps).toContain(copy!.id)
})

test('“Rename” focuses the name of the flow', async () => {
  await openFlow()
  await button('Rename').click()
  const name = findPanel().getByLabel('Name of the flow')
  await expect.poll(() => isFocused(name)).toBe(true)
  await app.page.keyboard.type('Left pots')
  await expect.poll(() => name.inputValue()).toBe('Left pots')
  await save()
  await app.page.getByRole('heading', { level: 1, name: 'Left pots' }).waitFor()
  await findPanel().getByRole('button', { name: 'Close' }).click()
  await findPanel().waitFor({ state: 'detached' })
})

test('on a phone the panel is a dialog, and closing it returns the focus', async () => {
  await app.open('/flows/:flowId', { viewport: PHONE })
  const opener = button(/^Edit message 1,/)
  await opener.click()
  const dialog = app.page.getByRole('dialog', { name: '1. First reminder' })
  await dialog.getByLabel('Subject').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => isFocused(opener)).toBe(true)
  await button('Rename').click()
  await expect.poll(() => isFocused(app.page.getByRole('dialog').getByLabel('Name of the flow'))).toBe(true)
})

const report = () => app.page.getByRole('region', { name: 'Report' })
const findReportRegion = (name: string) => report().getByRole('region', { name })
const FIRST = '1. First reminder'

test('the report is a table with the results of each message, for 7, 30 and 90 days', async () => {
  app.api.answer(flowReport, ({ query: { days } }) => {
    const { report: month } = fixture(flowReport)
    return {
      report: { ...month, days, steps: month.steps.map((step) => ({ ...step, planned: step.planned + days * 100 })) },
    }
  })
  await openFlow()
  const [first] = fixture(flowReport).report.steps
  const figures = () => report().getByRole('row').filter({ hasText: FIRST }).getByRole('cell').allInnerTexts()
  for (const days of [30, 7, 90]) {
    await report().getByRole('radiogroup', { name: 'Days of the report' }).getByText(`${days} days`).click()
    await expect
      .poll(async () => (await figures()).slice(0, 4))
      .toEqual([
        (first!.planned + days * 100).toLocaleString('en'),
        String(first!.sent),
        String(first!.clicked),
        String(first!.orders),
      ])
  }
  await report()
    .getByText(/^Not sent: \d+, by reason$/)
    .click()
  for (const { explanation } of first!.skipped)
    await report().getByRole('rowheader', { name: explanation, exact: true }).waitFor()
  const term = report().getByRole('button', { name: /^Revenue per recipient: / })
  await term.focus()
  await app.page.keyboard.press('Shift+Tab')
  await app.page.keyboard.press('Tab')
  await app.page.getByRole('tooltip').filter({ hasText: 'divided by the messages sent' }).waitFor()
  await term.blur()
  await app.page.getByRole('tooltip').waitFor({ state: 'hidden' })
  expect(await app.findViolations('[aria-label=Report]')).toEqual([])
})

test('a winner is chosen after a confirmation, and not while changes are unsaved', async () => {
  const [a] = readStoredFlow().steps[1]!.variants
  const b = { ...a!, id: randomUUID(), name: 'B' }
  const variants = [a!, b].map((variant) => ({ ...variant, sharePercent: 50 }))
  stored.flows[0]!.steps[1]!.variants = variants
  const figures = { isCurrent: true, sharePercent: 50, people: 9, clicked: 3, bought: 1, revenue: 40, comparison: null }
  app.api.alter(flowReport, ({ report: whole }) => {
    Object.assign(whole.steps[1]!, {
      purchasesNeeded: 25,
      variants: variants.map(({ id, name }) => ({ ...figures, variantId: id, name })),
    })
    return { report: whole }
  })
  const findWinner = (name: string) => report().getByRole('button', { name: `Choose variant ${name} as the winner` })
  await openFlow()
  const second = findReportRegion('2. Second reminder')
  await second.getByText('The others are compared with this text.').waitFor()
  await second.getByText('Not enough data yet: a comparison needs 25 purchases with each variant.').waitFor()
  await button(/^Remove message 3,/).click()
  await expect.poll(() => findWinner('B').isDisabled()).toBe(true)
  await app.page.keyboard.press('Control+z')
  await findWinner('B').click()
  const question = app.page.getByRole('dialog', { name: 'Choose variant B?' })
  await question.getByText('No variant is proven to sell more yet.').waitFor()
  expect(app.api.calls(chooseWinner)).toEqual([])
  await question.getByRole('button', { name: 'Choose it' }).click()
  await findCard(2).getByText('A/B test').waitFor({ state: 'detached' })
  const [call] = app.api.calls(chooseWinner)
  expect(call).toMatchObject({ params: { stepId: readStoredFlow().steps[1]!.id }, body: { variantId: b.id } })
})

async function editAndSwitchOn(subject: string) {
  stored = serveFlows(app.api, [{ ...buildReadyFlow(), isOn: false, switchedOnAt: null }])
  await openFlow()
  await openStep(app.page, 1)
  await findPanel().getByLabel('Subject').fill(subject)
  await button(/^Switch on$/).click()
  const dialog = app.page.getByRole('dialog', { name: /^Switch on “/ })
  await dialog.getByText('Your unsaved changes are saved first.').waitFor()
  await dialog.getByLabel('I have read the messages in the preview').check()
  await dialog.getByRole('button', { name: 'Save and switch on' }).click()
  return dialog
}

test('switching a flow on saves unsaved edits first', async () => {
  const dialog = await editAndSwitchOn('Your mugs are waiting')
  await dialog.waitFor({ state: 'detached' })
  await button(/^Switch off$/).waitFor()
  await readBar().waitFor({ state: 'detached' })
  await expect.poll(() => listSaved()[0]!.steps[0]!.variants![0]!.words.email!.subject).toBe('Your mugs are waiting')
  await expect.poll(() => app.api.calls(switchFlow)).toHaveLength(1)
})

test('a flow with invalid unsaved edits is not switched on, and the error is shown', async () => {
  const dialog = await editAndSwitchOn('')
  await dialog.waitFor({ state: 'detached' })
  await findPanel().getByText('An email needs a subject').waitFor()
  expect(listSaved()).toEqual([])
  app.api.fail(saveFlow, 409, { error: 'The flow was changed meanwhile.' })
  await findPanel().getByLabel('Subject').fill('Again')
  await button(/^Switch on$/).click()
  await app.page.getByRole('button', { name: 'Save and switch on' }).click()
  await readBar().getByText('The flow was changed meanwhile.').waitFor()
  expect(app.api.calls(switchFlow)).toEqual([])
  expect(readStoredFlow().isOn).toBe(false)
})
