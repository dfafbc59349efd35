import { expect, test } from 'vitest'
import { atStripe, connectStore, mailOf, open, page, passDays, stripe } from './house.ts'
import { dialog, history, look, main } from './screens.ts'

export function theChanges() {
  test('a third store needs Growth; what that costs now is shown before, and is what is charged', async () => {
    await passDays(10)
    const refused = await connectStore()
    expect([refused.status, refused.body.error]).toEqual([
      403,
      'Your plan (Starter) includes 2 stores. Add an extra store for $10 a month under Billing, upgrade your plan, or disconnect a store first.',
    ])
    await open('/store-setup?another=store')
    await main().getByText(refused.body.error!).waitFor()
    await look('no-room')
    await main().getByRole('link', { name: 'Add an extra store' }).click()
    await dialog('Change plan').getByLabel('Extra stores').waitFor()
    expect(await dialog('Change plan').getByLabel('Extra stores').inputValue()).toBe('1')
    await dialog('Change plan').getByLabel('Extra stores').fill('0')
    await dialog('Change plan').getByRole('radio', { name: 'Growth' }).click()
    await look('upgrade-choice', '[role=dialog]')
    await dialog('Change plan').getByRole('button', { name: 'Show what it costs' }).click()
    await dialog('Change plan').getByText('The plan changes at once.').waitFor()
    await look('upgrade-amount', '[role=dialog]')
    const pay = dialog('Change plan').getByRole('button', { name: /^Pay \$/ })
    const shown = /\$[\d.]+/.exec(await pay.innerText())![0]
    await dialog('Change plan').getByText('The next bill is $49.00').waitFor()
    const before = stripe.all('charge').length
    await atStripe()
    await pay.click()
    await dialog('Change plan').waitFor({ state: 'detached' })
    await main().getByRole('heading', { name: 'Growth' }).waitFor()
    await stripe.webhooks.idle()
    const charged = stripe.all('charge').slice(before)
    expect(charged.map(({ amount }) => `$${(amount / 100).toFixed(2)}`)).toEqual([shown])
    expect(await mailOf('Your plan is Growth now')).toContain('It costs $49.00 a month')
    await look('upgraded')
    expect((await history())[0]).toBe(`Change of the plan | Succeeded | ${shown}`)
    await look('history')
    expect((await connectStore()).status).toBe(200)
    await page.getByRole('button', { name: 'Subscription: Growth, Active' }).click()
    await dialog('Subscription').getByText('3 of 3 connected').waitFor()
  })
}
