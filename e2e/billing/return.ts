import { expect, test } from 'vitest'
import { checkInEveryTheme } from '../every-theme.ts'
import { billingOf } from './page.ts'
import { open } from './scene.ts'

const CHECK = 'subscribe/check-session'

export function theReturn() {
  test('back from checkout: the session is asked for once, what became of it is said, and the address loses it (A 4.3)', async () => {
    const { page, sent } = await open('/billing?session_id=cs_test_1&payments=1', {
      ...billingOf({}),
      'payments/payment-history': { payments: [], pagination: { page: 1, limit: 10, total: 0, pages: 0 } },
      [CHECK]: { success: true, plan: 'growth', status: 'active' },
    })
    const said = page.getByRole('status').filter({ hasText: 'Your checkout is complete.' })
    await said.getByText('You are on the Growth plan.').waitFor()
    expect(new URL(page.url()).search).toBe('?payments=1')
    expect(sent.filter(({ call }) => call === CHECK).map(({ query }) => query)).toEqual([{ session_id: 'cs_test_1' }])
    await checkInEveryTheme(page, 'billing-returned')
    await page.reload()
    await page.getByRole('heading', { name: 'Growth' }).waitFor()
    expect(await said.count()).toBe(0)
    expect(sent.filter(({ call }) => call === CHECK)).toHaveLength(1)
    await page.context().close()
  })

  test.each([
    ['not paid', { success: false, plan: null, status: null }, 'status', 'The checkout was not completed.'],
    ['of another account', { status: 404, error: 'Checkout session not found' }, 'alert', 'Checkout session not found'],
    [
      'no session',
      { status: 400, error: 'This is not a checkout session.' },
      'alert',
      'This is not a checkout session.',
    ],
    ['no answer', { status: 0, error: '' }, 'alert', 'Failed to process checkout'],
  ] as const)('back from checkout: %s', async (name, answered, role, words) => {
    const { page } = await open('/billing?session_id=cs_test_2', { ...billingOf({}), [CHECK]: answered })
    await page.getByRole('main').getByRole(role).filter({ hasText: words }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('heading', { name: 'Growth' }).waitFor()
    await checkInEveryTheme(page, `billing-returned-${name.replaceAll(' ', '-')}`)
    await page.context().close()
  })
}
