import { expect, test } from 'vitest'
import { verificationToken } from '../owner.ts'
import { ask, connectStore, instance, mailOf, OWNER, open, page, passDays, setUpAtStripe, stripe } from './house.ts'
import { addCard, dayOf, history, look, main, press, subscription } from './screens.ts'

export function theBeginning() {
  test('`npm run billing:setup` makes what has to be at Stripe; the second time it changes nothing and says so', async () => {
    const made = await setUpAtStripe()
    expect(made.match(/Made the price recoup_\w+\./g)).toHaveLength(6)
    expect(made).toContain('Made the configuration of the customer portal.')
    const calls = stripe.seen.length
    expect(await setUpAtStripe()).toContain('All is set up at Stripe. Nothing was changed.')
    expect(stripe.seen.slice(calls).filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('registering leads to Pricing, “Complete Your Purchase” and the provider’s checkout: a trial without a card', async () => {
    await open('/register')
    await page.getByLabel('Name').fill(OWNER.name)
    await page.getByLabel('Email').fill(OWNER.email)
    for (const label of ['Password', 'Repeat password']) {
      await page.getByLabel(label, { exact: true }).fill(OWNER.password)
    }
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/pricing')
    const token = await verificationToken(instance, OWNER.email)
    expect((await ask('POST', '/api/auth/verify-email', { token })).status).toBe(200)
    await main().getByRole('button', { name: 'Choose Starter' }).waitFor()
    await look('pricing')
    await press('Choose Starter')
    await page.getByRole('heading', { level: 1, name: 'Complete Your Purchase' }).waitFor()
    await main().getByText('14 days free, then $19.00 a month until you cancel.').waitFor()
    await look('step')
    await press('Start free trial')
    await page.getByText('14 days free').waitFor()
    // Back is where it was chosen, and Stripe's page the same again.
    await page.getByRole('link', { name: 'Back', exact: true }).click()
    await page.waitForURL(`${instance.url}/pricing?plan=starter&cycle=month&stores=0`)
    await press('Start free trial')
    await page.getByText('Total due today $0.00').waitFor()
    expect(await page.getByLabel('Card number').count()).toBe(0)
    await page.getByRole('button', { name: 'Start trial' }).click()
    await page.waitForURL(`${instance.url}/billing`)
    await main().getByText('Your checkout is complete.').waitFor()
    await main().getByText('You are on the Starter plan.').waitFor()
    expect(await main().getByRole('link', { name: 'Connect your store' }).getAttribute('href')).toBe('/store-setup')
    await main()
      .getByText(`Trial until ${dayOf(subscription().trial_end!)}.`)
      .waitFor()
    await main().getByText('None added; after the trial the plan is Lite').waitFor()
    await look('trial')
    expect(stripe.all('charge')).toEqual([])
    expect(await mailOf('Your plan is Starter now')).toMatch(
      /After that it costs \$19\.00 a month,[\s\S]*if\s+you\s+add\s+a\s+card/,
    )
  })

  test('three days before its end a mail and a banner say that there is no card; it is added in the portal', async () => {
    await passDays(11.1)
    const mail = await mailOf('Your Starter trial ends on')
    expect(mail).toContain('There is no card yet. Without one your account is on the Lite plan from then on.')
    // Whoever has no store has no list of notifications.
    expect(mail).toContain(`Open billing:\n${instance.url}/billing`)
    await open('/billing')
    const banner = page.getByText(`The trial of Starter ends on ${dayOf(subscription().trial_end!)}.`)
    await banner.waitFor()
    await page.getByText('After that the account goes on with Lite, unless a card is added.').waitFor()
    await look('trial-ends')
    await addCard('4242424242424242')
    await main().getByText('On file').waitFor()
    await page.getByText('After that it is paid by the card you have added.').waitFor()
    await look('card-added')
    for (let n = 0; n < 2; n++) expect((await connectStore()).status).toBe(200)
  })

  test('the trial ends, and the plan is paid by that card', async () => {
    await passDays(3)
    expect(await mailOf('Your Starter trial has ended')).toContain('The plan goes on and costs $19.00 a month')
    await open('/billing')
    await main().getByText('Active', { exact: true }).waitFor()
    expect(await history()).toEqual(['1 × Recoup Starter (at $19.00 / month) | Succeeded | $19.00'])
    expect(stripe.all('charge').map(({ amount }) => amount)).toEqual([1_900])
    await look('paid')
  })
}
