import type { Locator } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { findStepPanel } from '../e2e/flow-steps.ts'
import { isFocused } from '../e2e/keys.ts'
import {
  createFlow,
  deleteFlow,
  type FlowView,
  flowTexts,
  listFlows,
  orderFlows,
  switchFlow,
} from '../shared/marketing/flows.ts'
import { upcomingMessages } from '../shared/marketing/upcoming.ts'
import { UNDO_MS } from '../web/core/api/deletions.ts'
import { createScreens } from './app.ts'
import { buildHighValueFlow, buildReadyFlow, READY, serveFlows } from './flows-api.ts'

// The list of flows: created from the library, reordered, copied, switched on and deleted.

const app = createScreens()
const HIGH = 'High-value carts'
let stored: { flows: FlowView[] }

beforeEach(() => {
  stored = serveFlows(app.api, [buildReadyFlow(), buildHighValueFlow()])
})

const listStoredNames = () => stored.flows.map(({ name }) => name)
const namesShown = () =>
  app.page.getByRole('list', { name: 'Flows in their order' }).getByRole('heading').allInnerTexts()
const flow = (name: string) =>
  app.page.getByRole('listitem').filter({ has: app.page.getByRole('heading', { name, exact: true }) })
const handle = (name: string) => app.page.getByRole('button', { name: `Move ${name}`, exact: true })
const findDialog = (name?: string) => app.page.getByRole('dialog', name ? { name } : {})
const findMiddle = async (element: Locator) => {
  const { x, y, width, height } = (await element.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

async function openList() {
  await app.open('/flows')
  await expect.poll(namesShown).toEqual(listStoredNames())
}

async function openLibrary(): Promise<Locator> {
  await app.open('/flows')
  await app.page.getByRole('button', { name: 'Create a flow' }).click()
  return findDialog('Start from')
}

async function choose(name: string, action: string) {
  await app.page.getByRole('button', { name: `More for ${name}`, exact: true }).click()
  await app.page.getByRole('menuitem', { name: action }).click()
}

test('the library explains each kind of flow, and creates the chosen one switched off', async () => {
  const library = await openLibrary()
  await expect
    .poll(() => library.getByRole('heading', { level: 3 }).allInnerTexts())
    .toEqual([
      'Ready email flow',
      'Email, and SMS without an email',
      HIGH,
      'Win back returning customers',
      'Discount on the last step',
    ])
  await expect.poll(() => library.getByText('Your store needs:').count()).toBe(5)
  expect(await app.findViolations('[role=dialog]')).toEqual([])
  await library.getByRole('button', { name: `Start from ${HIGH}` }).click()
  await app.page.waitForURL(/\/flows\/[-\w]{36}$/)
  await app.page.getByRole('heading', { level: 1, name: HIGH }).waitFor()
  await app.page.getByText('Switched off: no messages are sent.').waitFor()
  await app.page.getByText('Only if the cart is worth more than $100.00').waitFor()
  await expect.poll(() => app.api.calls(createFlow).map(({ body }) => body)).toEqual([{ from: 'high_value' }])
})

test('a plan with one flow offers the upgrade instead of another flow', async () => {
  app.api.alter(listFlows, (reply) => ({ ...reply, isRulesInPlan: false }))
  const library = await openLibrary()
  await library.getByText(flowTexts.rulesPlan).waitFor()
  await expect.poll(() => library.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
  for (const button of await library.getByRole('button', { name: /^Start from / }).all())
    await expect.poll(() => button.isDisabled()).toBe(true)
})

test('arrow keys move a flow: its handle keeps the focus, its position is announced, the order is saved', async () => {
  await openList()
  await flow(HIGH).getByText('Only if the cart is worth more than $100.00').waitFor()
  await flow(READY).getByText('All carts', { exact: true }).waitFor()
  await flow(READY)
    .getByText(/ in the last 30 days$/)
    .waitFor()
  expect(await app.findViolations()).toEqual([])
  for (const [key, order] of [
    ['ArrowUp', [HIGH, READY]],
    ['ArrowDown', [READY, HIGH]],
    ['ArrowUp', [HIGH, READY]],
    // It is already the first.
    ['ArrowUp', [HIGH, READY]],
  ] as const) {
    await handle(HIGH).press(key)
    await expect.poll(namesShown).toEqual(order)
    await expect.poll(() => isFocused(handle(HIGH))).toBe(true)
    await expect.poll(listStoredNames).toEqual(order)
  }
  await expect.poll(() => app.page.locator('output').innerText()).toBe('High-value carts is now number 1 of 2')
  await expect.poll(() => app.api.calls(orderFlows)).toHaveLength(3)
})

test('a flow is dragged by its handle, and Escape cancels the drag', async () => {
  stored.flows.reverse()
  await openList()
  const [from, to] = [await findMiddle(handle(HIGH)), await findMiddle(flow(READY))]
  const drag = async () => {
    await app.page.mouse.move(from.x, from.y)
    await app.page.mouse.down()
    await app.page.mouse.move(to.x, to.y + 20, { steps: 4 })
  }
  await drag()
  await app.page.keyboard.press('Escape')
  await app.page.mouse.up()
  await expect.poll(() => namesShown()).toEqual([HIGH, READY])
  await drag()
  await app.page.locator('[data-drop=after]').waitFor()
  await app.page.mouse.up()
  await expect.poll(namesShown).toEqual([READY, HIGH])
  await expect.poll(listStoredNames).toEqual([READY, HIGH])
})

test('an order the server refuses is reverted, with the reason', async () => {
  app.api.fail(orderFlows, 409, { error: flowTexts.listChanged })
  await openList()
  await handle(READY).press('End')
  await app.page.getByText('The order was not saved').waitFor()
  await app.page.getByText(flowTexts.listChanged).waitFor()
  await expect.poll(namesShown).toEqual([READY, HIGH])
})

test('a copy is inserted after its original, and deleted only after a confirmation', async () => {
  await openList()
  await choose(READY, 'Copy')
  const copy = `${READY} (copy)`
  await expect.poll(namesShown).toEqual([READY, copy, HIGH])
  await choose(copy, 'Delete')
  const question = findDialog(`Delete “${copy}”?`)
  await question.getByText('It has no planned messages.').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  expect(app.api.calls(deleteFlow)).toEqual([])
  await choose(copy, 'Delete')
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(namesShown).toEqual([READY, HIGH])
  expect(app.api.calls(deleteFlow)).toEqual([])
  await app.page.getByText('Flow deleted').waitFor()
  await expect.poll(listStoredNames, { timeout: UNDO_MS + 10_000 }).toEqual([READY, HIGH])
  await app.page.getByText('Flow deleted').waitFor({ state: 'detached' })
  expect(await namesShown()).toEqual([READY, HIGH])
})

const deleteHigh = async () => {
  await openList()
  await choose(HIGH, 'Delete')
  await findDialog(`Delete “${HIGH}”?`).getByRole('button', { name: 'Delete' }).click()
  await expect.poll(namesShown).toEqual([READY])
}
const undo = () => app.page.getByRole('button', { name: 'Undo', exact: true })

test('an undone deletion restores the flow without a request', async () => {
  await deleteHigh()
  await expect.poll(() => isFocused(undo())).toBe(true)
  await undo().click()
  await expect.poll(namesShown).toEqual([READY, HIGH])
  await undo().waitFor({ state: 'detached' })
  await app.page.waitForTimeout(UNDO_MS)
  expect(app.api.calls(deleteFlow)).toEqual([])
})

test('a flow is deleted at once when the page is left or the offer to undo is dismissed', async () => {
  await deleteHigh()
  await app.page.goto(`${app.url}/blank`)
  await expect.poll(listStoredNames).toEqual([READY])
  stored.flows = [buildReadyFlow(), buildHighValueFlow()]
  await deleteHigh()
  await app.page.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(listStoredNames).toEqual([READY])
  expect(app.api.calls(deleteFlow)).toHaveLength(2)
})

test('a pending deletion is sent before another flow is copied', async () => {
  await deleteHigh()
  await choose(READY, 'Copy')
  await expect.poll(namesShown).toEqual([READY, `${READY} (copy)`])
  expect(listStoredNames()).toEqual([READY, `${READY} (copy)`])
  expect(app.api.calls(deleteFlow)).toHaveLength(1)
})

test('a flow the server does not delete is shown again, with the reason', async () => {
  app.api.fail(deleteFlow, 422, { error: flowTexts.switchOffFirst, code: 'unprocessable' })
  await deleteHigh()
  await app.page.getByRole('button', { name: 'Dismiss' }).click()
  await app.page.getByText(`“${HIGH}” was not deleted. ${flowTexts.switchOffFirst}`).waitFor()
  await expect.poll(namesShown).toEqual([READY, HIGH])
})

test('“Read the preview first” opens the preview of the flow', async () => {
  await openList()
  await app.page.getByRole('button', { name: `Switch on ${HIGH}`, exact: true }).click()
  await findDialog().getByRole('button', { name: 'Read the preview first' }).click()
  const preview = findStepPanel(app.page).getByRole('region', { name: 'Preview' })
  await preview.waitFor()
  await expect.poll(() => preview.evaluate((part) => part.getBoundingClientRect().top < innerHeight)).toBe(true)
})

test('the switch-on dialog reopens with its default choices', async () => {
  await openList()
  const turn = (way: 'on' | 'off') =>
    app.page.getByRole('button', { name: `Switch ${way} ${HIGH}`, exact: true }).click()
  const hasRead = findDialog().getByLabel('I have read the messages in the preview')
  await turn('on')
  await hasRead.check()
  await findDialog().getByRole('button', { name: 'Switch on' }).click()
  await turn('off')
  await findDialog().getByRole('button', { name: 'Switch off' }).click()
  await turn('on')
  await expect.poll(() => hasRead.isChecked()).toBe(false)
})

test('a flow that matches no carts explains why when it is activated, and an active flow cannot be deleted', async () => {
  const buildTakenText = (gets: string) =>
    `“${READY}” is above this flow and handles every cart, so this flow ${gets} no carts.`
  app.api.alter(upcomingMessages, (reply) => ({ ...reply, cartsOfLast24h: 0 }))
  await openList()
  await app.page.getByRole('button', { name: `Switch on ${HIGH}` }).click()
  await findDialog().getByText(buildTakenText('would get')).waitFor()
  await findDialog().getByText('The flow handles carts abandoned from now on.').waitFor()
  await findDialog().getByLabel('Include carts of the last 24 hours (0 carts)').waitFor()
  await findDialog().getByText(`No carts for this flow: “${READY}” is above it and handles every cart.`).waitFor()
  const confirm = findDialog().getByRole('button', { name: 'Switch on' })
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await findDialog().getByLabel('I have read the messages in the preview').check()
  await confirm.click()
  await app.page.getByRole('button', { name: `Switch off ${HIGH}` }).waitFor()
  await expect
    .poll(() => app.api.calls(switchFlow).map(({ body }) => body))
    .toEqual([{ isOn: true, holdoutPercent: 0, includeLast24h: false }])
  await flow(HIGH).getByText(buildTakenText('gets')).waitFor()
  await expect.poll(() => flow(READY).getByText('is above this flow').count()).toBe(0)
  expect(await app.findViolations()).toEqual([])
  await choose(HIGH, 'Delete')
  const question = findDialog(`Delete “${HIGH}”?`)
  await question.getByText(flowTexts.switchOffFirst).waitFor()
  await expect.poll(() => question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
})
