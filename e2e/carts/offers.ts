import type { Response } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import type { CartView } from '../../shared/carts.ts'
import { api, contactable, dialog, instance, type List, open, page, row, told, waiting } from './visit.ts'

// What a row and a panel offer, and what they say instead: by contact, by consent, and while something is being sent.

export const offers = () =>
  describe('what is offered for a cart (B 2, B 3, B 4)', () => {
    const panel = () => dialog('Cart details')
    const emailButton = /^Send email/
    const smsButton = /^Send SMS/
    const whatsappButton = /^(Send )?WhatsApp/

    afterEach(async () => {
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.setViewportSize({ width: 1360, height: 900 })
    })

    /** The list has this one cart, and so has its panel. */
    async function only(cart: CartView) {
      await page.route('**/api/carts/abandoned*', (route) =>
        route.fulfill({
          json: { carts: [cart], pagination: { page: 1, limit: 10, total: 1, pages: 1 }, syncAgeSeconds: 5 },
        }),
      )
      await page.route(`**/api/carts/${cart.id}?*`, (route) => route.fulfill({ json: { cart } }))
    }

    test('who left neither name nor address is a Guest with “No email”, in the list, in the panel and on a phone', async () => {
      const { carts } = await api<List>('/api/carts/abandoned?limit=1000')
      const nobody = carts.find(({ customer_email, phone }) => !customer_email && !phone)!
      const unnamed = { ...nobody.customer_data, first_name: null, last_name: null }
      expect(nobody).toMatchObject({ customer_name: 'Guest', customer_data: unnamed })
      await only(nobody)
      await open()
      await row(nobody).getByRole('cell', { name: 'No email', exact: true }).waitFor()
      for (const name of [emailButton, smsButton, whatsappButton]) {
        expect(await row(nobody).getByRole('button', { name }).count()).toBe(0)
      }
      await page.getByRole('button', { name: 'Guest', exact: true }).click()
      await panel().getByText('No email', { exact: true }).waitFor()
      expect(await panel().getByRole('button', { name: 'Send Email' }).isDisabled()).toBe(true)
      for (const name of [smsButton, whatsappButton]) {
        expect(await panel().getByRole('button', { name }).count()).toBe(0)
      }
      await page.setViewportSize({ width: 360, height: 800 })
      await page.goto(`${instance.url}/carts`)
      await page.locator('.list-card').getByText('No email', { exact: true }).waitFor()
    })

    test('SMS is offered only where there is a phone, WhatsApp only where it may be sent', async () => {
      const cart = (await contactable()).find(({ phone, whatsapp_status }) => phone && !whatsapp_status)!
      // Read at once: of a page that is left, a body is gone.
      const looked = async () => {
        const isIt = (reply: Response) =>
          /eligibility/.test(reply.url()) && /whatsapp/.test(reply.request().postData()!)
        return (await (await page.waitForResponse(isIt)).json()) as { eligible: string[] }
      }
      const offered = async (name: RegExp) => [
        await row(cart).getByRole('button', { name }).count(),
        await panel().getByRole('button', { name }).count(),
      ]
      const visit = async (shown: CartView) => {
        await only(shown)
        await page.goto(`${instance.url}/carts?cart=${cart.id}`)
        await row(shown).waitFor({ state: 'attached' })
        await panel().getByRole('button', { name: 'Send Email' }).waitFor()
      }
      // The server's own answer: this shopper never agreed to WhatsApp.
      await page.goto('about:blank')
      const [reply] = await Promise.all([looked(), visit(cart)])
      expect(reply.eligible).not.toContain(cart.id)
      await panel().getByRole('button', { name: smsButton }).waitFor()
      expect([await offered(smsButton), await offered(whatsappButton)]).toEqual([
        [1, 1],
        [0, 0],
      ])
      await page.route('**/api/carts/eligibility*', (route) =>
        route.fulfill({ json: { total: 1, eligible: [cart.id], reasons: [], price: null } }),
      )
      await visit(cart)
      await panel().getByRole('button', { name: whatsappButton }).waitFor()
      expect(await offered(whatsappButton)).toEqual([1, 1])
      const without = { ...cart, phone: null, customer_data: { ...cart.customer_data, phone: null } }
      await visit(without)
      expect([await offered(smsButton), await offered(whatsappButton)]).toEqual([
        [0, 0],
        [0, 0],
      ])
    })

    test('while a text is on its way its button says so and cannot be pressed', async () => {
      const cart = { ...waiting.find(({ phone }) => phone)!, sms_status: 'sending', sms_sent_at: null }
      await only(cart)
      await open(`?cart=${cart.id}`)
      const inPanel = panel().getByRole('button', { name: 'Sending…', exact: true })
      await inPanel.waitFor()
      expect(await inPanel.isDisabled()).toBe(true)
      await page.keyboard.press('Escape')
      const button = row(cart).getByRole('button', { name: 'Sending…', exact: true })
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      await button.press('Enter')
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    })

    test('while an email is being sent the dialog says so and takes no second press; then the list is asked for again', async () => {
      const cart = waiting[6]!
      // News of the store would have it asked for too.
      await page.route('**/socket.io/**', (route) => route.abort())
      await only(cart)
      let asked = 0
      let answer = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route('**/api/email/send-email*', async (route) => {
        asked += 1
        await answered
        await route.fulfill({
          json: { success: true, message: 'Email sent successfully!', state: 'sent', messageId: cart.id },
        })
      })
      await open()
      await page.getByRole('button', { name: `Send email to ${cart.customer_name}` }).click()
      const form = dialog('Send Email Reminder')
      const send = form.getByRole('button', { name: 'Send Now' })
      await send.click()
      await form.getByRole('status').filter({ hasText: 'Sending…' }).waitFor({ state: 'attached' })
      expect(await send.isDisabled()).toBe(true)
      await send.click({ force: true })
      // The answer is made up, so nobody but this page knows of it: it asks for the list by itself (B 4).
      const listed = page.waitForRequest('**/api/carts/abandoned*')
      await told('Email sent successfully!', async () => answer())
      await listed
      await form.waitFor({ state: 'detached' })
      expect(asked).toBe(1)
    })

    test('of an SMS that failed the status has the attempts and why', async () => {
      const cart = waiting.find(({ phone }) => phone)!
      const error = 'This is a landline, or the carrier does not support SMS.'
      await page.route(`**/api/sms/status/${cart.id}*`, (route) =>
        route.fulfill({
          json: { status: 'failed', attempts: 2, lastSent: '2026-03-02T12:00:00.000Z', delivered: false, error },
        }),
      )
      await only(cart)
      await open()
      await page.getByRole('button', { name: `More for ${cart.customer_name}` }).click()
      await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
      const facts = dialog('SMS status').locator('.facts')
      await facts.waitFor()
      const [names, values] = [await facts.locator('dt').allInnerTexts(), await facts.locator('dd').allInnerTexts()]
      expect(names).toEqual(['Customer', 'Status', 'Attempts', 'Last sent', 'Delivered', 'Error'])
      expect([values[1]!.trim(), values[2], values[4], values[5]]).toEqual(['Failed', '2', 'No', error])
      expect(values[3]).toContain('Mar 2')
      await page.keyboard.press('Escape')
    })
  })
