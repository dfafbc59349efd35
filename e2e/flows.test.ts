import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FlowView } from '../shared/flows.ts'
import { api, beginVisit, endVisit, instance, page } from './carts/visit.ts'
import { checkInEveryTheme } from './every-theme.ts'
import { panelOf } from './flow-steps.ts'
import { isFocused } from './keys.ts'

// The list of flows on the demo: made from the library, put in order, copied and deleted.

const READY = 'Abandoned cart reminders'

beforeAll(beginVisit, 420_000)
afterAll(endVisit)

const stored = async () => (await api<{ flows: FlowView[] }>('/api/flows')).flows
const namesStored = async () => (await stored()).map(({ name }) => name)
const namesShown = () => page.getByRole('list', { name: 'Flows in their order' }).getByRole('heading').allInnerTexts()
const flow = (name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
const handle = (name: string) => page.getByRole('button', { name: `Move ${name}`, exact: true })
const middleOf = async (element: Locator) => {
  const { x, y, width, height } = (await element.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

async function startFrom(name: string) {
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('button', { name: 'Create a flow' }).click()
  await page
    .getByRole('dialog', { name: 'Start from' })
    .getByRole('button', { name: `Start from ${name}` })
    .click()
  await page.waitForURL('**/flows/*')
}

async function choose(name: string, deed: string) {
  await page.getByRole('button', { name: `More for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: deed }).click()
}

test('each kind of the library is explained with what it asks of the store, and makes a flow that is off', async () => {
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('button', { name: 'Create a flow' }).click()
  const library = page.getByRole('dialog', { name: 'Start from' })
  expect(await library.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual([
    ...['Ready email flow', 'Email, and SMS without an email', 'High-value carts', 'Win back returning customers'],
    'Discount on the last step',
  ])
  expect(await library.getByText('It asks of your store:').count()).toBe(5)
  await checkInEveryTheme(page, 'flow-library', '[role=dialog]')
  await page.keyboard.press('Escape')
  await startFrom('High-value carts')
  await page.getByRole('heading', { level: 1, name: 'High-value carts' }).waitFor()
  await page.getByText('Switched off: no messages are sent.').waitFor()
  await page.getByText('Only if the cart is worth more than $100.00.').waitFor()
  expect(await namesStored()).toEqual([READY, 'High-value carts'])
}, 120_000)

test('a flow is put in front of another by the arrow keys; its handle keeps the focus, and its place is told', async () => {
  await page.goto(`${instance.url}/flows`)
  await handle('High-value carts').focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(namesShown).toEqual(['High-value carts', READY])
  expect(await isFocused(handle('High-value carts'))).toBe(true)
  expect(await page.locator('output').innerText()).toBe('High-value carts is now number 1 of 2')
  await expect.poll(namesStored).toEqual(['High-value carts', READY])
  await page.keyboard.press('ArrowDown')
  await expect.poll(namesShown).toEqual([READY, 'High-value carts'])
  await expect.poll(() => isFocused(handle('High-value carts'))).toBe(true)
  await page.keyboard.press('ArrowUp')
  await expect.poll(namesShown).toEqual(['High-value carts', READY])
  // It is the first already.
  await page.keyboard.press('ArrowUp')
  expect(await namesShown()).toEqual(['High-value carts', READY])
  await flow('High-value carts').getByText('Only if the cart is worth more than $100.00').waitFor()
  await flow(READY).getByText('Every cart').waitFor()
  await flow(READY)
    .getByText(/ in the last 30 days$/)
    .waitFor()
  await checkInEveryTheme(page, 'flows-in-order')
}, 60_000)

test('a flow is dragged by its handle, and Escape lets go of it', async () => {
  const [from, to] = [await middleOf(handle('High-value carts')), await middleOf(flow(READY))]
  const drag = async () => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y + 20, { steps: 4 })
  }
  await drag()
  await page.keyboard.press('Escape')
  await page.mouse.up()
  expect(await namesShown()).toEqual(['High-value carts', READY])
  await drag()
  await page.locator('[data-drop=after]').waitFor()
  await page.mouse.up()
  await expect.poll(namesShown).toEqual([READY, 'High-value carts'])
  await expect.poll(namesStored).toEqual([READY, 'High-value carts'])
})

test('an order that is refused is said, and taken back', async () => {
  await page.route('**/api/flows/order*', (route) =>
    route.fulfill({ status: 409, json: { error: 'The list of flows has changed in the meantime.', code: 'conflict' } }),
  )
  await handle(READY).press('End')
  await page.getByText('The order was not saved').waitFor()
  await expect.poll(namesShown).toEqual([READY, 'High-value carts'])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

test('a copy stands behind its original, and is deleted after a question', async () => {
  await page.goto(`${instance.url}/flows`)
  await choose(READY, 'Copy')
  const copy = `${READY} (copy)`
  await expect.poll(namesShown).toEqual([READY, copy, 'High-value carts'])
  await choose(copy, 'Delete')
  const dialog = page.getByRole('dialog', { name: `Delete “${copy}”?` })
  await dialog.getByText('It has no planned messages.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await namesStored()).toContain(copy)
  await choose(copy, 'Delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(namesShown).toEqual([READY, 'High-value carts'])
  expect(await namesStored()).toEqual([READY, 'High-value carts'])
})

async function switchOn(name: string) {
  await page.getByRole('button', { name: `Switch on ${name}`, exact: true }).click()
  await page.getByRole('dialog').getByLabel('I have read the messages in the preview').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('button', { name: `Switch off ${name}`, exact: true }).waitFor()
}

test('whoever wants to read the preview before switching on is led to it', async () => {
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('button', { name: 'Switch on High-value carts', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Read the preview first' }).click()
  const preview = panelOf(page).getByRole('region', { name: 'Preview' })
  await preview.waitFor()
  await expect.poll(() => preview.evaluate((part) => part.getBoundingClientRect().top < innerHeight)).toBe(true)
}, 60_000)

const taken = (gets: string) => `“${READY}” stands above it and takes every cart, so this flow ${gets} none.`

test('a flow that gets no carts says why; it is switched on in the list, and one that is on is not deleted', async () => {
  await page.goto(`${instance.url}/flows`)
  await switchOn(READY)
  await page.getByRole('button', { name: 'Switch on High-value carts' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(taken('would get')).waitFor()
  await dialog.getByText('A flow takes carts whose last activity is after it was switched on.').waitFor()
  await dialog.getByLabel(/^Include carts of the last 24 hours \(/).waitFor()
  await dialog.getByText(/^(No cart is left for this flow: “|They were left before “)/).waitFor()
  await dialog.getByLabel('I have read the messages in the preview').check()
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('button', { name: 'Switch off High-value carts' }).waitFor()
  await flow('High-value carts').getByText(taken('gets')).waitFor()
  expect(await flow(READY).getByText('stands above it').count()).toBe(0)
  await checkInEveryTheme(page, 'flows-one-without-carts')
  await choose('High-value carts', 'Delete')
  const question = page.getByRole('dialog', { name: 'Delete “High-value carts”?' })
  await question.getByText('Switch the flow off before you delete it.').waitFor()
  expect(await question.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
}, 60_000)

test('a plan that has one flow says so before anything is made', async () => {
  await page.route(/\/api\/flows(\?|$)/, async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: { ...(await reply.json()), isRulesInPlan: false } })
  })
  await page.goto(`${instance.url}/flows`)
  await page.getByRole('button', { name: 'Create a flow' }).click()
  const library = page.getByRole('dialog', { name: 'Start from' })
  await library.getByText('are part of the Starter plan').waitFor()
  expect(await library.getByRole('link', { name: 'See plans' }).getAttribute('href')).toBe('/pricing')
  for (const button of await library.getByRole('button', { name: /^Start from / }).all()) {
    expect(await button.isDisabled()).toBe(true)
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
