import { describe, expect, test } from 'vitest'
import type { CartView } from '../../shared/carts.ts'
import { mailsTo } from '../app-instance.ts'
import {
  addressHash,
  api,
  db,
  dialog,
  instance,
  type List,
  names,
  open,
  page,
  told,
  violations,
  waiting,
} from './visit.ts'

// Many carts at once: what is chosen, who would get it and who not, an answer for each, and taking them out of the view.

export const manyCarts = () =>
  describe('many carts', () => {
    const select = (cart: CartView) =>
      page.getByRole('checkbox', { name: `Select the cart of ${cart.customer_name}`, exact: true }).check()
    const bar = () => page.getByRole('region', { name: 'Selected carts' })

    /** The rows of these carts, as the list would have them. */
    async function only(carts: CartView[]) {
      await page.route('**/api/carts/abandoned*', (route) =>
        route.fulfill({
          json: { carts, pagination: { page: 1, limit: 10, total: 57, pages: 6 }, syncAgeSeconds: 5 },
        }),
      )
      await open()
    }

    test('an action needs a choice and a selection; all that match can be selected', async () => {
      await open()
      expect(await bar().count()).toBe(0)
      await page.getByRole('checkbox', { name: 'Select all carts on this page' }).check()
      await bar().getByText('10 selected').waitFor()
      expect(await bar().getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
      const { pagination } = await api<List>('/api/carts/abandoned')
      await bar()
        .getByRole('button', { name: `Select all ${pagination.total} matching` })
        .click()
      await bar().getByText(`${pagination.total} selected`).waitFor()
      await bar().getByLabel('Bulk action').selectOption('Send Email')
      expect(await violations()).toEqual([])
      await bar().getByRole('button', { name: 'Apply' }).click()
      const form = dialog('Send Email Reminder')
      await form.getByText(new RegExp(`^\\d+ of ${pagination.total} carts would get this email now\\.$`)).waitFor()
      const reasons = form.getByRole('list', { name: 'Who will not get it, and why' })
      await reasons.getByText('The shopper has unsubscribed.').waitFor()
      await reasons.getByText('No usable email address has been captured yet.').waitFor()
      expect(await violations()).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('checkbox', { name: 'Select all carts on this page' }).uncheck()
      expect(await bar().count()).toBe(0)
    })

    test('a bulk email has an answer for each cart, and only the failed one is tried again', async () => {
      // The demo's past may have brought somebody to the limit of a day, whichever hour it is.
      const body = { channel: 'email', cartIds: waiting.slice(2).map(({ id }) => id) }
      const { eligible } = await api<{ eligible: string[] }>('/api/carts/eligibility', body)
      const three = waiting
        .slice(2)
        .filter(({ id }) => eligible.includes(id))
        .slice(0, 3)
      await only(three)
      for (const cart of three) await select(cart)
      await bar().getByLabel('Bulk action').selectOption('Send Email')
      await bar().getByRole('button', { name: 'Apply' }).click()
      const form = dialog('Send Email Reminder')
      await form.getByText('3 of 3 carts would get this email now.').waitFor()
      // Between the look and the click one of them unsubscribes.
      const left = await unsubscribe(three[0]!)
      await told('Bulk email sending completed!', () => form.getByRole('button', { name: 'Send to 3 carts' }).click())
      expect(await bar().count()).toBe(0)
      const job = page.getByRole('region', { name: 'Bulk sending' })
      await job.getByText('3 of 3 done · 2 sent · 1 failed.').waitFor()
      await job.getByRole('button', { name: 'Results' }).click()
      const answers = job.getByRole('list', { name: 'Results by cart' })
      await answers.getByText('The shopper has unsubscribed.').waitFor()
      await expect.poll(() => answers.getByRole('listitem').count()).toBe(3)
      await job.getByText('Failed only').click()
      await expect.poll(() => answers.getByRole('listitem').count()).toBe(1)
      expect(await violations()).toEqual([])
      await page.reload()
      await job.getByText('3 of 3 done · 2 sent · 1 failed.').waitFor()
      await left.back()
      await job.getByRole('button', { name: 'Retry the 1 failed' }).click()
      await job.getByText(/^(\d) of \1 done · \1 sent\.$/).waitFor()
      for (const cart of three) expect(await mailsTo(instance, cart.customer_email!)).toHaveLength(1)
      await job.getByRole('button', { name: 'Dismiss' }).click()
      await job.waitFor({ state: 'detached' })
      await page.unroute('**/api/carts/abandoned*')
    })

    test('deleting only leaves carts out of this view, and is undone', async () => {
      await open()
      const [first] = await names()
      const calls: string[] = []
      page.on('request', (request) => request.method() === 'DELETE' && calls.push(request.url()))
      await page.locator('.carts-rows tbody input[type=checkbox]').first().check()
      await bar().getByLabel('Bulk action').selectOption('Delete from view')
      await bar().getByRole('button', { name: 'Apply' }).click()
      await page.getByText('1 cart removed from this view. Nothing was deleted.').waitFor()
      await expect.poll(() => page.locator('.carts-rows tbody tr').count()).toBe(9)
      await page.getByRole('button', { name: 'Undo' }).click()
      expect((await names())[0]).toBe(first)
      expect(calls).toEqual([])
      page.removeAllListeners('request')
    })

    test('bulk WhatsApp goes by its own call and says how many got it', async () => {
      const two = waiting.slice(5, 7)
      const ids = two.map(({ id }) => id)
      await only(two)
      await page.route('**/api/carts/eligibility*', (route) =>
        route.fulfill({ json: { total: 2, eligible: ids, reasons: [], price: null } }),
      )
      const apply = async () => {
        for (const cart of two) await select(cart)
        await bar().getByLabel('Bulk action').selectOption('Send WhatsApp')
        await bar().getByRole('button', { name: 'Apply' }).click()
      }
      const form = dialog('Send WhatsApp Reminders')
      await page.route('**/api/whatsapp/send-bulk*', (route) =>
        route.fulfill({ status: 422, json: { error: 'No template is approved.', code: 'unprocessable' } }),
      )
      await apply()
      await form.getByRole('button', { name: 'Send to 2 carts' }).click()
      await form.getByText('Failed to send bulk WhatsApp: No template is approved.').waitFor()
      await page.unroute('**/api/whatsapp/send-bulk*')
      // The real call: these people never agreed to WhatsApp, which each of their answers says.
      const asked = page.waitForRequest('**/api/whatsapp/send-bulk*')
      await told('WhatsApp sending completed! Successful: 0, Failed: 2', () =>
        form.getByRole('button', { name: 'Send to 2 carts' }).click(),
      )
      expect((await asked).postDataJSON().cartIds).toEqual(ids)
      await form.waitFor({ state: 'detached' })
      expect(await bar().count()).toBe(0)
      await page.unroute('**/api/carts/eligibility*')
      await page.unroute('**/api/carts/abandoned*')
    })

    async function unsubscribe(cart: CartView): Promise<{ back(): Promise<void> }> {
      const account = await db.selectFrom('accounts').select('id').where('is_demo', '=', true).executeTakeFirstOrThrow()
      const address_hash = addressHash(cart.customer_email!)
      await db
        .insertInto('suppressions')
        .values({
          account_id: account.id,
          address_hash,
          channel: 'email',
          reason: 'unsubscribed',
          source: 'unsubscribe page',
          created_at: new Date(),
        })
        .execute()
      const back = async () =>
        void (await db.deleteFrom('suppressions').where('address_hash', '=', address_hash).execute())
      return { back }
    }
  })
