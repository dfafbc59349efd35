import { describe, expect, test } from 'vitest'
import { newId } from '../../server/ids.ts'
import type { CartView } from '../../shared/carts.ts'
import { reminderTexts } from '../../shared/reminders.ts'
import { mailsTo, readMail } from '../house.ts'
import {
  addressHash,
  api,
  contactable,
  db,
  dialog,
  house,
  open,
  page,
  row,
  search,
  toast,
  violations,
  waiting,
} from './visit.ts'

// One cart: its panel, and what is sent from it by hand, read in the mailbox.

export const oneCart = () =>
  describe('one cart', () => {
    test('details stand beside the list, opened and closed by keyboard', async () => {
      const [cart] = waiting
      await open()
      await search(cart!.customer_email!)
      await page.getByRole('button', { name: cart!.customer_name, exact: true }).press('Enter')
      const panel = dialog('Cart details')
      for (const name of ['Customer Information', 'Cart Summary', 'Products', 'Recovery Actions']) {
        await panel.getByRole('heading', { level: 2, name }).waitFor()
      }
      for (const name of ['Items', 'Total value', 'Abandoned', 'Status']) {
        await panel.getByText(name, { exact: true }).first().waitFor()
      }
      await panel.getByText(cart!.items[0]!.product_name).waitFor()
      expect(await panel.locator('img').count()).toBeGreaterThan(0)
      await panel.getByRole('button', { name: 'Send Email' }).waitFor()
      expect(page.url()).toContain(`cart=${cart!.id}`)
      expect(await violations()).toEqual([])
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      expect(page.url()).not.toContain('cart=')
    })

    test('an email is sent by keyboard alone, and arrives', async () => {
      const [cart] = waiting
      await open()
      await search(cart!.customer_email!)
      await page.getByRole('button', { name: `Send email to ${cart!.customer_name}` }).press('Enter')
      const form = dialog('Send Email Reminder')
      await form.getByText('It would be sent now.').waitFor()
      expect(await form.getByRole('radio', { name: 'Send Now' }).isChecked()).toBe(true)
      expect(await form.getByLabel('Subject').inputValue()).toBe('Complete Your Purchase')
      expect(await violations()).toEqual([])
      await form.getByRole('button', { name: 'Send Now' }).focus()
      await page.keyboard.press('Enter')
      await toast(reminderTexts.emailSent).waitFor()
      await form.waitFor({ state: 'detached' })
      const [mail] = await mailsTo(house, cart!.customer_email!)
      expect(mail!.subject).toBe('Complete Your Purchase')
      const { text } = await readMail(house, mail!.id)
      expect(text).toContain(cart!.items[0]!.product_name)
      await row(cart!).getByText('Email Sent').waitFor()
    })

    test('a message is shown and tried on oneself before it goes', async () => {
      const cart = waiting[1]!
      await open()
      await search(cart.customer_email!)
      await page.getByRole('button', { name: `Send email to ${cart.customer_name}` }).click()
      const form = dialog('Send Email Reminder')
      await form.getByRole('button', { name: 'Preview and test' }).click()
      const mail = form.frameLocator('iframe[title="Preview of the mail"]')
      await mail.getByText(cart.items[0]!.product_name).first().waitFor()
      await form.getByRole('button', { name: 'Send a test to myself' }).click()
      await form.getByText(/^Sent to /).waitFor()
      expect(await mailsTo(house, cart.customer_email!)).toEqual([])
      await page.keyboard.press('Escape')
    })

    test('an email is scheduled: one hour by default, or at a date, which also goes as an instant', async () => {
      const cart = waiting[1]!
      await open()
      await search(cart.customer_email!)
      const more = page.getByRole('button', { name: `More for ${cart.customer_name}` })
      await more.press('Enter')
      await page.getByRole('menuitem', { name: 'Schedule email' }).press('Enter')
      const form = dialog('Send Email Reminder')
      const delay = form.getByLabel('Send in')
      expect(await delay.locator('option').allInnerTexts()).toEqual([
        ...['1 hour', '2 hours', '6 hours', '12 hours', '24 hours', '3 days', '7 days', 'Custom date and time'],
      ])
      expect(await delay.inputValue()).toBe('1')
      await delay.selectOption('custom')
      await form.getByRole('button', { name: 'Schedule', exact: true }).click()
      await form.getByText('Please select a valid date and time.').waitFor()
      const date = new Date(Date.now() + 50 * 3_600_000)
      await form.getByLabel('Date and time').fill(localText(date))
      const asked = page.waitForRequest('**/api/email/schedule-reminder*')
      await form.getByRole('button', { name: 'Schedule', exact: true }).click()
      expect((await asked).postDataJSON()).toMatchObject({ cartId: cart.id, delayHours: 50, reminderType: 'first' })
      await toast(reminderTexts.emailScheduled).waitFor()
      const { messages } = await api<{ messages: { state: string; dueAt: string; origin: string }[] }>(
        `/api/carts/${cart.id}/messages`,
      )
      const planned = messages.find(({ origin, state }) => origin.startsWith('manual:') && state === 'scheduled')
      expect(Math.abs(new Date(planned!.dueAt).getTime() - date.getTime())).toBeLessThan(61_000)
    })

    test('an SMS shows its price before, and then has to wait', async () => {
      const cart = await anSmsCart()
      await open()
      await search(cart.customer_email!)
      await page.getByRole('button', { name: `Send SMS to ${cart.customer_name}` }).click()
      const form = dialog('Send SMS Reminders')
      await form.getByText(/^Price: \$0\.0\d+ for \d segments?\./).waitFor()
      expect(await violations()).toEqual([])
      await form.getByRole('button', { name: 'Send Now' }).click()
      await toast(reminderTexts.smsSent).waitFor()
      const wait = page.getByRole('button', { name: /^Wait \d+:\d\d:\d\d before sending again$/ })
      await wait.waitFor()
      expect(await wait.getAttribute('aria-disabled')).toBe('true')
      await page.getByRole('button', { name: `More for ${cart.customer_name}` }).click()
      await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
      const status = dialog('SMS status')
      await status
        .getByText(/^(Sent|Delivered)$/)
        .first()
        .waitFor()
      for (const name of ['Attempts', 'Last sent', 'Delivered']) {
        await status.getByText(name, { exact: true }).first().waitFor()
      }
      await page.keyboard.press('Escape')
    })
  })

/** As a `datetime-local` field wants it. */
const localText = (date: Date) =>
  new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

/** A shopper who said yes to SMS and was here within two days. */
async function anSmsCart(): Promise<CartView> {
  const cart = (await contactable()).find(({ phone }) => phone?.startsWith('+1'))!
  const store = await db.selectFrom('stores').select('id').where('is_demo', '=', true).executeTakeFirstOrThrow()
  await db
    .insertInto('consents')
    .values({
      store_id: store.id,
      id: newId(),
      address_hash: addressHash(cart.phone!),
      channel: 'sms',
      status: 'granted',
      source: 'checkout',
      at: new Date(),
    })
    .execute()
  return cart
}
