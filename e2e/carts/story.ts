import { describe, expect, test } from 'vitest'
import type { MessageView, TimelineEntry } from '../../shared/carts.ts'
import { instance, page, violations, waiting } from './visit.ts'

// The timeline of one cart, with an answer of the server's that has a message of every kind.

const fromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

const message = (change: Partial<MessageView>): MessageView => ({
  ...{ id: crypto.randomUUID(), originKind: 'flow', originId: crypto.randomUUID(), channel: 'email', step: 1 },
  ...{ removedStep: null, variant: null, forecast: null },
  ...{ originName: 'Abandoned cart reminders', state: 'scheduled', reason: null, explanation: '' },
  ...{ dueAt: fromNow(0), expiresAt: fromNow(9_000), handedOverAt: null, deliveredAt: null, readAt: null },
  ...{ finishedAt: null, to: null, subject: null, html: null, response: null, decisions: [] },
  ...change,
})

const sent = (minutes: number, change: Partial<MessageView>) =>
  message({ state: 'sent', dueAt: fromNow(minutes), handedOverAt: fromNow(minutes), ...change })

const event = (minutes: number, title: string): TimelineEntry => ({
  ...{ at: fromNow(minutes), kind: 'event', title, text: '', messageId: null },
})

const skipped: Partial<MessageView> = {
  ...{ originKind: 'campaign', originName: 'Autumn sale', state: 'skipped', finishedAt: fromNow(-200) },
  explanation: 'The person got as many messages as the limit allows.',
}

const messages = [
  message({ step: 3, dueAt: fromNow(3_900) }),
  message({
    ...{ step: 2, dueAt: fromNow(235), variant: 'B' },
    forecast: { channel: 'sms', isExpected: true, explanation: 'By email: No email address was captured in time.' },
  }),
  sent(-400, {}),
  message(skipped),
  sent(-100, { originKind: 'manual', originName: 'Manual' }),
  sent(-50, { originKind: 'manual', originName: 'Discount mail' }),
]

export const story = () =>
  describe('the timeline of a cart', () => {
    test('has all messages and events in one order, the next message on top with its time, a skipped one with why', async () => {
      const answer = '**/api/carts/*/messages*'
      const timeline = [event(-500, 'Cart abandoned'), event(-300, 'Link clicked'), event(-70, 'Coupon used')]
      await page.route(answer, (route) =>
        route.fulfill({
          json: { messages, timeline, order: null, flow: { id: crypto.randomUUID(), name: 'Left pots', isOn: false } },
        }),
      )
      await page.goto(`${instance.url}/carts/${waiting[0]!.id}`)
      await page.getByRole('heading', { level: 3, name: 'Autumn sale' }).waitFor()
      const titles = await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()
      expect(titles[0]).toBe('Products')
      const parts = page.locator('.story').first().locator(':scope > li')
      const first = (text: string) => text.split('\n')[0]
      expect((await parts.allInnerTexts()).map(first)).toEqual([
        ...['Reminder 2 by SMS, in 3 h', 'Reminder 3 by email, in 2 days'],
        ...['Discount mail', 'Coupon used', 'Manual email'],
        ...['Autumn sale', 'Link clicked', 'Reminder 1 by email', 'Cart abandoned'],
      ])
      const next = page.getByRole('region', { name: 'Reminder 2 by SMS' })
      await next
        .getByText('As things stand, it goes by SMS. By email: No email address was captured in time.')
        .waitFor()
      expect(await next.getByRole('definition').allInnerTexts()).toContain('B')
      const campaign = page.getByRole('region', { name: 'Autumn sale' })
      await campaign.getByText('Not sent').waitFor()
      await campaign.getByText(skipped.explanation!).waitFor()
      expect(await violations()).toEqual([])
      await page.setViewportSize({ width: 360, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      await page.setViewportSize({ width: 1360, height: 900 })
      await page.unroute(answer)
    })
  })
