import { expect, test } from 'vitest'
import { mailOf, open, page, passDays } from './house.ts'
import { addCard, history, look, main, subscription } from './screens.ts'

export function theOverduePayment() {
  test('a card that is declined: banner and mail say until when messages are sent', async () => {
    await addCard('4000000000000341')
    await main().getByText('On file').waitFor()
    await passDays(21)
    expect(subscription().status).toBe('past_due')
    const mail = await mailOf('A payment of $49.00 has failed')
    expect(mail).toMatch(
      /Your card was declined\. It is tried again on .*\. Messages are sent until .*\. After that they wait/,
    )
    await open('/billing')
    await page.getByText('A payment is overdue.', { exact: true }).waitFor()
    await main().getByText('Past Due', { exact: true }).waitFor()
    await main().getByText('Add another card under Manage Billing for the next try').waitFor()
    expect((await history())[0]).toBe(
      '1 × Recoup Growth (at $49.00 / month) | Failed | Your card was declined. | $49.00',
    )
    await look('overdue')
    await open('/carts')
    await page.getByText('A payment is overdue.', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Go to billing' }).click()
    await page.waitForURL('**/billing')
  })

  test('with another card the next try is paid, and all is as it was', async () => {
    await addCard('5555555555554444')
    await passDays(3)
    expect(subscription().status).toBe('active')
    expect(await mailOf('Your payment has been made')).toContain('Nothing is overdue any more')
    await open('/billing')
    await main().getByText('Active', { exact: true }).waitFor()
    expect(await page.getByText('A payment is overdue.').count()).toBe(0)
    expect((await history())[0]).toBe('1 × Recoup Growth (at $49.00 / month) | Succeeded | $49.00')
    await look('recovered')
  })
}
