import { expect, test } from 'vitest'
import type { MessageView } from '../../../shared/carts/carts.ts'
import type { ConsentTable } from '../../../shared/shoppers/consent.ts'
import { explainPermission } from './permission.ts'

const send = (inputs: Record<string, unknown>, more: Partial<MessageView> = {}) =>
  [
    {
      channel: 'email',
      sentAt: '2026-03-02T15:00:00.000Z',
      decisions: [
        {
          outcome: 'send',
          inputs: { country: 'US', consentRule: 'opt_out', consent: null, boughtBefore: false, ...inputs },
        },
      ],
      ...more,
    },
  ] as unknown as MessageView[]

const table = (overrides: object[] = []) =>
  ({
    countries: [{ country: 'DE', rules: { email: 'soft_opt_in' } }],
    elsewhere: { email: 'opt_in' },
    overrides,
  }) as unknown as ConsentTable

const US = 'The box was not ticked. In the United States email is opt-out, so it was allowed.'

test('says which rule allowed the email and that Germany would have blocked it', () => {
  expect(explainPermission(send({}), table())).toBe(`${US} Germany would have blocked it.`)
  expect(explainPermission(send({ country: 'BR' }), table())).toContain('In Brazil email is opt-out')
})

test('does not name Germany if its rule was relaxed, is not known, or the shopper bought before', () => {
  const override = { channel: 'email', country: 'DE', from: 'soft_opt_in', to: 'opt_out', endedAt: null }
  expect(explainPermission(send({}), table([override]))).toBe(US)
  expect(explainPermission(send({}), undefined)).toBe(US)
  expect(explainPermission(send({ boughtBefore: true }), table())).toBe(US)
})

test('is silent if the shopper consented, nothing was sent, or another rule applied', () => {
  expect(explainPermission(send({ consent: { status: 'express_yes' } }), table())).toBeNull()
  expect(explainPermission(send({}, { sentAt: null }), table())).toBeNull()
  expect(explainPermission(send({ consentRule: 'soft_opt_in' }), table())).toBeNull()
  expect(explainPermission([], table())).toBeNull()
})
