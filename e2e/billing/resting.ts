import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { someStores } from './answers.ts'
import { billingOf } from './page.ts'
import { asViewer, open } from './scene.ts'

const STORES = 'subscribe/resting-stores'
const [first, second, third] = someStores
const restsOf = (...resting: string[]) => ({
  stores: someStores.map((store) => ({ ...store, isResting: resting.includes(store.id), restsFirst: false })),
})
const cardOf = (page: Page) => page.getByRole('region', { name: 'Resting stores' })
const wordsOn = async (page: Page) => (await cardOf(page).innerText()).replace(/\s+/g, ' ')

export function theRest() {
  test('which stores rest, why and what to do; another one rests in its place (decision 85)', async () => {
    const { page, sent, answer } = await open('/billing', {
      ...billingOf({ plan: 'starter' }),
      [STORES]: restsOf(third!.id),
    })
    await cardOf(page).waitFor()
    const words = await wordsOn(page)
    expect(words).toContain('The plan has room for 2 stores, and 3 are connected.')
    expect(words).toContain('It sends nothing until the plan has room for it. Third Floor shop2.example')
    expect(words).toContain('A larger plan or an extra store wakes it,')
    await checkInEveryTheme(page, 'billing-resting')
    await cardOf(page).getByRole('button', { name: 'Choose which stores rest' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Choose which stores rest' })
    const box = (name: string) => dialog.getByRole('checkbox', { name })
    expect(await box('Third Floor').isChecked()).toBe(true)
    await box('Third Floor').press('Space')
    await dialog.getByText('Choose 1 store to rest.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await checkInEveryTheme(page, 'billing-resting-chosen', '[role=dialog]')
    await box('Kiln Road').press('Space')
    await answer(STORES, { status: 409, error: 'The stores have changed.' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('The stores have changed.').waitFor()
    // The same address answers both: what is saved, and what is read anew.
    await answer(STORES, { ...restsOf(first!.id), success: true, resting: [first!.id] })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved which stores rest').waitFor()
    await expect.poll(() => wordsOn(page)).toContain('Kiln Road shop0.example')
    expect(sent.filter(({ call, body }) => call === STORES && body).at(-1)!.body).toEqual({ storeIds: [first!.id] })
    await page.context().close()
  })

  test('of several that rest, and to whoever may not choose', async () => {
    const { page } = await open('/billing', {
      ...billingOf({ plan: 'free' }),
      [STORES]: restsOf(second!.id, third!.id),
      ...asViewer(),
    })
    await cardOf(page).getByText('The plan has room for 1 store, and 3 are connected.').waitFor()
    expect(await wordsOn(page)).toContain('Second Hand shop1.example Third Floor shop2.example')
    // Lite has no extra stores.
    expect(await wordsOn(page)).toContain('A larger plan wakes it, or another store rests in its place.')
    expect(await cardOf(page).getByRole('button').count()).toBe(0)
    await page.context().close()
  })

  test('where there is room for all nothing is said of it', async () => {
    const { page } = await open('/billing', { ...billingOf({}), [STORES]: restsOf() })
    await page.getByRole('main').getByText('84 of 100 used').waitFor()
    expect(await cardOf(page).count()).toBe(0)
    await page.context().close()
  })
}
