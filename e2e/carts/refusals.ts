import { describe, expect, test } from 'vitest'
import { reminderTexts } from '../../shared/reminders.ts'
import { api, dialog, instance, type List, open, page, violations, waiting } from './visit.ts'

// What is refused, by a server that says why or by the plan, in the words the specification has for it.

export const refusals = () =>
  describe('what goes wrong, in the specification’s words (B 8)', () => {
    const refuse = (path: string) =>
      page.route(`**${path}`, (route) =>
        route.fulfill({ status: 422, json: { error: 'Not today.', code: 'unprocessable' } }),
      )

    test('of an email, an SMS and its status', async () => {
      const cart = waiting[7]!
      const withPhone = { ...cart, phone: cart.phone ?? '+12125550100' }
      await page.route('**/api/carts/abandoned*', (route) =>
        route.fulfill({
          json: { carts: [withPhone], pagination: { page: 1, limit: 10, total: 1, pages: 1 }, syncAgeSeconds: 5 },
        }),
      )
      await page.route('**/api/carts/eligibility*', (route) =>
        route.fulfill({ json: { total: 1, eligible: [cart.id], reasons: [], price: null } }),
      )
      for (const path of [
        '/api/email/*',
        '/api/sms/send-reminder*',
        '/api/sms/status/*',
        '/api/whatsapp/send-reminder*',
      ]) {
        await refuse(path)
      }
      await open()
      for (const [button, form, text] of [
        [`Send email to ${cart.customer_name}`, 'Send Email Reminder', 'Failed: Not today.'],
        [`Send SMS to ${cart.customer_name}`, 'Send SMS Reminder', 'Failed to send SMS: Not today.'],
        [
          `Send WhatsApp message to ${cart.customer_name}`,
          'Send WhatsApp Reminder',
          'Failed to send WhatsApp: Not today.',
        ],
      ] as const) {
        await page.getByRole('button', { name: button }).click()
        await dialog(form).getByRole('button', { name: 'Send Now' }).click()
        await dialog(form).getByText(text).waitFor()
        await page.keyboard.press('Escape')
        await dialog(form).waitFor({ state: 'detached' })
      }
      await page.getByRole('button', { name: `More for ${cart.customer_name}` }).click()
      await page.getByRole('menuitem', { name: 'Check SMS status' }).click()
      await dialog('SMS status').getByText('Failed to check SMS status: Not today.').waitFor()
      await page.keyboard.press('Escape')
      await page.unrouteAll()
    })

    test('on the free plan SMS and WhatsApp are prompts to upgrade (B 6)', async () => {
      await page.route('**/api/subscribe/status*', (route) =>
        route.fulfill({
          json: { plan: 'free', planInForce: 'free', status: 'active', hasActiveSubscription: true, isTestMode: true },
        }),
      )
      const cart = (await api<List>('/api/carts/abandoned?limit=100')).carts.find(({ phone }) => phone)!
      await open(`?search=${encodeURIComponent(cart.phone!)}`)
      for (const text of [reminderTexts.smsPlan, reminderTexts.whatsappPlan]) {
        expect(await page.getByRole('link', { name: text }).first().getAttribute('href')).toBe('/pricing')
      }
      expect(await page.getByRole('button', { name: /^Send (SMS|WhatsApp)/ }).count()).toBe(0)
      await page.goto(`${instance.url}/carts?cart=${cart.id}`)
      const panel = dialog('Cart details')
      for (const text of [reminderTexts.smsPlan, reminderTexts.whatsappPlan]) await panel.getByText(text).waitFor()
      expect(await panel.getByRole('link', { name: 'See plans' }).first().getAttribute('href')).toBe('/pricing')
      expect(await violations()).toEqual([])
      await page.unroute('**/api/subscribe/status*')
    })
  })
