import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { newId } from '../../server/core/ids.ts'
import type { CartView } from '../../shared/carts.ts'
import { reminderTexts } from '../../shared/reminders.ts'
import { mailsTo, readMail } from '../app-instance.ts'
import { openStep } from '../flow-steps.ts'
import {
  addressHash,
  api,
  contactable,
  db,
  dialog,
  instance,
  type List,
  open,
  page,
  row,
  search,
  told,
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
      const titles = ['Products', 'Cart Summary', 'Customer Information', 'Recovery Actions']
      await panel.getByRole('heading', { level: 2, name: titles.at(-1)! }).waitFor()
      const shown = await panel.getByRole('heading', { level: 2 }).allInnerTexts()
      expect(shown.filter((title) => titles.includes(title))).toEqual(titles)
      for (const name of ['Items', 'Total value', 'Abandoned', 'Status']) {
        await panel.getByText(name, { exact: true }).first().waitFor()
      }
      await panel.getByRole('button', { name: 'Send Email' }).waitFor()
      expect(page.url()).toContain(`cart=${cart!.id}`)
      expect(await violations()).toEqual([])
      await page.keyboard.press('Escape')
      await panel.waitFor({ state: 'detached' })
      expect(page.url()).not.toContain('cart=')
    })

    test('the panel has the cart’s own contact and figures, and of each product picture, name, quantity and price', async () => {
      const cart = waiting.find(({ phone, items }) => phone && items.length > 1)!
      await open(`?cart=${cart.id}`)
      const card = (title: string) => cardIn(dialog('Cart details'), title)
      const customer = await card('Customer Information').innerText()
      for (const fact of [cart.customer_name, cart.customer_email!, cart.phone!]) expect(customer).toContain(fact)
      const money = (amount: number) => amount.toLocaleString('en-US', { style: 'currency', currency: cart.currency })
      const value = cart.items.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
      const summary = (await card('Cart Summary').innerText()).split(/\s*\n\s*/)
      const count = cart.items.reduce((sum, { quantity }) => sum + quantity, 0)
      expect(summary.slice(0, 5)).toEqual(['Cart Summary', 'Items', String(count), 'Total value', money(value)])
      expect(summary.slice(summary.indexOf('Status'))).toEqual(['Status', cart.status])
      const lines = card('Products').getByRole('listitem')
      expect(await lines.count()).toBe(cart.items.length)
      for (const [index, item] of cart.items.entries()) {
        const line = lines.nth(index)
        expect(await line.locator('img').getAttribute('src')).toBe(item.image_url)
        const words = await line.innerText()
        for (const fact of [item.product_name, `${item.quantity} × ${money(item.price)}`]) expect(words).toContain(fact)
      }
      expect((await card('Products').innerText()).split(/\s*\n\s*/).slice(-2)).toEqual(['Total', money(value)])
      await page.keyboard.press('Escape')
    })

    test('the panel’s recovery actions lead to the dialog of their channel', async () => {
      const cart = waiting.find(({ phone }) => phone)!
      await page.route('**/api/carts/eligibility*', (route) =>
        route.fulfill({ json: { total: 1, eligible: [cart.id], reasons: [], price: null } }),
      )
      await open(`?cart=${cart.id}`)
      const actions = cardIn(dialog('Cart details'), 'Recovery Actions')
      for (const [label, title] of [
        ['Send Email', 'Send Email Reminder'],
        ['Send SMS', 'Send SMS Reminder'],
        ['WhatsApp', 'Send WhatsApp Reminder'],
      ] as const) {
        await actions.getByRole('button', { name: label, exact: true }).click()
        const form = dialog(title)
        await form.getByText(`To ${cart.customer_name} · `).waitFor()
        await form.getByRole('button', { name: 'Cancel' }).click()
        await form.waitFor({ state: 'detached' })
      }
      await page.unroute('**/api/carts/eligibility*')
      await page.keyboard.press('Escape')
    })

    test('an email is sent by keyboard alone, and arrives', async () => {
      const [cart] = waiting
      await open()
      await search(cart!.customer_email!)
      await page.getByRole('button', { name: `Send email to ${cart!.customer_name}` }).press('Enter')
      const form = dialog('Send Email Reminder')
      await form.getByText('Ready to send').waitFor()
      expect(await form.getByRole('radio', { name: 'Send Now' }).isChecked()).toBe(true)
      expect(await form.getByLabel('Subject').inputValue()).toBe('Complete Your Purchase')
      expect(await violations()).toEqual([])
      await told(reminderTexts.emailSent, () => form.getByRole('button', { name: 'Send Now' }).press('Enter'))
      await form.waitFor({ state: 'detached' })
      const [mail] = await mailsTo(instance, cart!.customer_email!)
      expect(mail!.subject).toBe('Complete Your Purchase')
      const { text } = await readMail(instance, mail!.id)
      expect(text).toContain(cart!.items[0]!.product_name)
      await row(cart!).getByText('Email Sent').waitFor()
    })

    test('a message is shown and tried on oneself before it goes', async () => {
      const cart = waiting[1]!
      await open()
      await search(cart.customer_email!)
      await page.getByRole('button', { name: `Send email to ${cart.customer_name}` }).click()
      const form = dialog('Send Email Reminder')
      await form.getByText(`To ${cart.customer_name} · `).waitFor()
      // Of whichever of their carts it was.
      await form.getByText(/^Last message: (none has been sent|email, (.+ ago|just now), “.+”, \w+)/).waitFor()
      const mail = form.frameLocator('iframe[title="Email preview"]')
      await mail.getByText(cart.items[0]!.product_name).first().waitFor()
      await form.getByRole('button', { name: 'Change the text' }).click()
      const text = form.getByLabel('Text', { exact: true })
      await text.fill('{{ nonsense }}')
      // Beside the field and in the preview.
      await form
        .getByText(/"nonsense", which does not exist/)
        .nth(1)
        .waitFor()
      expect(await text.getAttribute('aria-invalid')).toBe('true')
      expect(await form.getByRole('button', { name: 'Send Now' }).last().isDisabled()).toBe(true)
      await text.fill('A word from the kiln: {{ checkout_link }}')
      await mail.getByText('A word from the kiln:').last().waitFor()
      await form.getByText('Phone', { exact: true }).click()
      expect((await form.locator('iframe').boundingBox())!.width).toBeLessThanOrEqual(360)
      expect(await violations()).toEqual([])
      await form.getByRole('button', { name: 'Send a test to myself' }).click()
      await form.getByText(/^Sent to /).waitFor()
      expect(await mailsTo(instance, cart.customer_email!)).toEqual([])
      await page.keyboard.press('Escape')
    })

    test('a step of a flow is shown for a cart that could get it, and for the sample cart, with its pictures', async () => {
      await page.goto(`${instance.url}/flows`)
      await page.locator('a[href^="/flows/"]').first().click()
      await openStep(page, 1)
      const mail = page.frameLocator('iframe[title="Email preview"]')
      const picker = page.getByRole('combobox', { name: 'For the cart of' })
      await mail.getByText('Unsubscribe').waitFor()
      const { carts } = await api<List>('/api/carts/abandoned?limit=50')
      const { eligible } = await api<{ eligible: string[] }>('/api/carts/eligibility', { channel: 'email' })
      const first = carts.find(({ id }) => eligible.includes(id))!
      expect(await picker.inputValue()).toContain(`${first.customer_name} · `)
      await picker.click()
      await page.getByRole('option', { name: 'Sample cart' }).click()
      await page.getByText('Nobody left this cart').waitFor()
      await mail.getByText('Alex').last().waitFor()
      const picture = mail.locator('img').first()
      await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0)
      expect(await violations()).toEqual([])
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
      await told(reminderTexts.emailScheduled, () =>
        form.getByRole('button', { name: 'Schedule', exact: true }).click(),
      )
      expect((await asked).postDataJSON()).toMatchObject({ cartId: cart.id, delayHours: 50, reminderType: 'first' })
      const { messages } = await api<{ messages: { state: string; dueAt: string; originKind: string }[] }>(
        `/api/carts/${cart.id}/messages`,
      )
      const planned = messages.find(({ originKind, state }) => originKind === 'manual' && state === 'scheduled')
      expect(Math.abs(new Date(planned!.dueAt).getTime() - date.getTime())).toBeLessThan(61_000)
    })

    test('an SMS shows its price before, and then has to wait', async () => {
      const cart = await anSmsCart()
      await open()
      await search(cart.customer_email!)
      await page.getByRole('button', { name: `Send SMS to ${cart.customer_name}` }).click()
      const form = dialog('Send SMS Reminder')
      await form.getByText(/^Price: \$0\.0\d+ for \d segments?\./).waitFor()
      expect(await violations()).toEqual([])
      await told(reminderTexts.smsSent, () => form.getByRole('button', { name: 'Send Now' }).click())
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

const cardIn = (panel: Locator, title: string) =>
  panel.locator('.mantine-Card-root').filter({ has: page.getByRole('heading', { level: 2, name: title }) })

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
