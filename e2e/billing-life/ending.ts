import { expect, test } from 'vitest'
import { openClient } from '../../test/contract-servers/stripe/server.ts'
import { ask, atStripe, mailOf, open, page, passDays, stripe } from './house.ts'
import { dialog, history, look, main, periodEnd, press, subscription } from './screens.ts'

const CONFIRM =
  'Are you sure you want to cancel your subscription? You will lose access at the end of your current billing period.'

export function theEnd() {
  test('a smaller plan begins with the next period: what is lost is said before, and the store that is to rest is chosen', async () => {
    await passDays(1)
    const day = periodEnd()
    await open('/billing')
    await press('Change plan')
    const change = dialog('Change plan')
    await change.getByRole('radio', { name: 'Starter' }).click()
    await change.getByRole('button', { name: 'Show what it costs' }).click()
    await change.getByText(`The plan changes on ${day}. Nothing is due now.`).waitFor()
    await change.getByText('1 store will have to rest').waitFor()
    const boxes = change.getByRole('checkbox')
    for (const box of await boxes.all()) if (await box.isChecked()) await box.click()
    await boxes.first().click()
    await look('downgrade', '[role=dialog]')
    await atStripe()
    await change.getByRole('button', { name: `Change on ${day}` }).click()
    await change.waitFor({ state: 'detached' })
    await main().getByText(`Changes to Starter on ${day}.`).waitFor()
    await look('change-waits')
    expect(await mailOf('Your plan changes to Starter on')).toContain('Until then all stays as it is.')
    expect(await resting()).toEqual([])
  })

  test('when the period ends the plan is Starter, and that store rests', async () => {
    const [first] = await stores()
    await passDays(15)
    await open('/billing')
    await passDays(14)
    expect(await mailOf('Your plan is Starter now')).toContain('It costs $19.00 a month')
    expect(await resting()).toEqual([first!.id])
    await open('/billing')
    await main().getByRole('heading', { name: 'Starter' }).waitFor()
    await main().getByRole('region', { name: 'Resting stores' }).waitFor()
    expect((await history())[0]).toBe('1 × Recoup Starter (at $19.00 / month) | Succeeded | $19.00')
    await look('smaller')
  })

  test('canceled with the words of A 5: it lasts until the period ends, and is reactivated before', async () => {
    await passDays(1)
    const day = periodEnd()
    await open('/billing')
    await press('Cancel subscription')
    await dialog('Cancel Starter?').getByText(CONFIRM).waitFor()
    await dialog('Cancel Starter?').getByText('2 stores of the 3 connected will rest then').waitFor()
    await look('cancel', '[role=dialog]')
    await atStripe()
    await dialog('Cancel Starter?').getByRole('button', { name: 'Cancel subscription' }).click()
    await main().getByText(`Ends on ${day}, then Lite.`).waitFor()
    expect(subscription().cancel_at_period_end).toBe(true)
    expect(await mailOf('Your Starter plan ends on')).toContain('Until then you can reactivate the subscription')
    await look('canceled')
    await passDays(5)
    await open('/billing')
    await press('Reactivate')
    await main().getByText(`Renews on ${day}.`).waitFor()
    expect(subscription().cancel_at_period_end).toBe(false)
    expect(await mailOf('Your Starter plan goes on')).toContain('It costs $19.00 a month')
    await look('reactivated')
  })

  test('what the operator gives back stands in the history', async () => {
    const charge = stripe.all('charge').findLast(({ paid }) => paid)!
    await openClient(await atStripe()).refunds.create({ charge: charge.id, amount: 500 })
    await stripe.webhooks.idle()
    await expect
      .poll(async () => (await history())[0])
      .toBe('1 × Recoup Starter (at $19.00 / month) | Succeeded | $19.00 | $5.00 refunded')
    await openClient(stripe).refunds.create({ charge: charge.id })
    await stripe.webhooks.idle()
    await expect
      .poll(async () => (await history())[0])
      .toBe('1 × Recoup Starter (at $19.00 / month) | Refunded | $19.00 | $19.00 refunded')
    await look('refunded')
    const paid = stripe.all('charge').filter((one) => one.paid)
    expect((await history()).length).toBe(paid.length)
    expect(await page.getByRole('button', { name: 'Subscription: Starter, Active' }).count()).toBe(1)
  })
}

interface Store {
  id: string
  isResting: boolean
}
const stores = async () => (await ask<{ stores: Store[] }>('GET', '/api/subscribe/resting-stores')).body.stores
const resting = async () => (await stores()).filter(({ isResting }) => isResting).map(({ id }) => id)
